"""Ages: section 4.2 of the LDLF paper, on FG-Net."""
