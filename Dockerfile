# A small image that runs as nobody in particular, also with a read-only root file system:
#   docker build -t singleout .
#   docker run --rm --read-only --tmpfs /tmp --network none -v "$PWD:/data" singleout assess people.csv
FROM python:3.12-slim AS build
WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN python -m venv /opt/singleout \
 && /opt/singleout/bin/pip install --no-cache-dir -c constraints.txt ".[database,pls]" \
 && /opt/singleout/bin/singleout warm

FROM python:3.12-slim
COPY --from=build /opt/singleout /opt/singleout
RUN useradd --create-home --uid 10001 singleout
ENV PATH="/opt/singleout/bin:$PATH"
USER singleout
WORKDIR /data
ENTRYPOINT ["singleout"]
CMD ["--help"]
