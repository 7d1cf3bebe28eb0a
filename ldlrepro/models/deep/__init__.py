"""Deep label distribution learning on images (extra ``deep``: torch, Pillow)."""
