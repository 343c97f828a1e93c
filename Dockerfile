# Server, indexer and the command line in one image: one static program with a link for each, certificates of public
# authorities, and Tesseract for scanned resumes, which adds about 230 MB. For an image without it and without a system,
# build the target minimal.
#
#   docker build --build-arg VERSION=1.2.3 --build-arg COMMIT=$(git rev-parse HEAD) --tag freelancer-matching .
#   docker run --publish 127.0.0.1:8080:8080 --env MATCHING_INSECURE_HTTP=true --volume matching:/data \
#     freelancer-matching
#
# MATCHING_INSECURE_HTTP accepts plain HTTP, which is fine for a port on this machine's loopback address. To serve other
# machines, set MATCHING_PUBLIC_URL to the https address of a TLS proxy, or MATCHING_TLS_CERT and MATCHING_TLS_KEY.

ARG GO_IMAGE=golang:1.26.8-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d
ARG DEBIAN_IMAGE=debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241

FROM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=""
ARG COMMIT=""
ARG DATE=""
RUN version=github.com/freelancer-matching/service/internal/buildinfo \
    && CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /out/usr/local/bin/freelancer-matching -ldflags \
    "-s -w -X $version.version=$VERSION -X $version.commit=$COMMIT -X $version.date=$DATE" ./packaging/program \
    && for name in server indexer matching; do ln -s freelancer-matching "/out/usr/local/bin/$name"; done
RUN mkdir -p /data /out/tmp /out/etc/ssl/certs \
    && chmod 1777 /out/tmp \
    && cp LICENSE NOTICE /out/ \
    && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ \
    && echo 'nonroot:x:65532:65532::/data:/sbin/nologin' >/out/etc/passwd

FROM scratch AS minimal
COPY --from=build /out /
COPY --from=build --chown=65532:65532 /data /data
ENV PATH=/usr/local/bin MATCHING_ADDR=:8080 MATCHING_DATA=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["server", "health"]
ENTRYPOINT ["server"]

FROM ${DEBIAN_IMAGE}
# The base stays the same until its digest changes, so its packages are brought up to date here.
RUN apt-get update \
    && apt-get upgrade --yes \
    && apt-get install --yes --no-install-recommends tesseract-ocr tesseract-ocr-eng tesseract-ocr-deu tesseract-ocr-fra \
       tesseract-ocr-spa tesseract-ocr-ita tesseract-ocr-por tesseract-ocr-nld \
    && rm -rf /var/lib/apt/lists/*
ARG VERSION=""
LABEL org.opencontainers.image.title="Freelancer matching" \
      org.opencontainers.image.description="Ranks freelancers for a project and explains every score." \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out /
COPY --from=build --chown=65532:65532 /data /data
ENV PATH=/usr/local/bin:/usr/bin:/bin MATCHING_ADDR=:8080 MATCHING_DATA=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["server", "health"]
ENTRYPOINT ["server"]
