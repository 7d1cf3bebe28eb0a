# The two commands of the README in a container.
#   docker build -t ldlrepro .                    # the book
#   docker run --rm -p 8000:8000 ldlrepro         # to be read on port 8000
#   docker build --target tested .                # all checks
FROM python:3.11-slim AS book
RUN apt-get update && apt-get install -y --no-install-recommends git make && rm -rf /var/lib/apt/lists/*
WORKDIR /ldlrepro
COPY . .
RUN make book

FROM book AS tested
RUN make test

FROM book
EXPOSE 8000
CMD [".venv/bin/python", "-m", "http.server", "8000", "--directory", "_build/html"]
