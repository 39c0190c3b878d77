# Tenon in a container, as the user `tenon`, with bubblewrap for the sandbox of commands.
#
#   docker build -t tenon .                                     # the newest version of the registry
#   docker build -t tenon --build-arg VERSION=0.1.0 .
#   docker run --rm -it -v "$PWD:/work" -v tenon:/var/lib/tenon tenon -p "find all files that mention TODO"
#
# bubblewrap needs user namespaces, which the default seccomp profile of Docker refuses. `--security-opt seccomp=unconfined` allows them;
# without it Tenon uses Landlock and seccomp, or says that no sandbox works. `tenon sandbox status` tells which.
FROM node:22-bookworm-slim

ARG VERSION=latest

RUN apt-get update \
  && apt-get install --yes --no-install-recommends bash bubblewrap ca-certificates git openssh-client ripgrep tini \
  && rm -rf /var/lib/apt/lists/*

RUN npm install --global --no-audit --no-fund "tenon-agent@${VERSION}" \
  && npm cache clean --force \
  && tenon --version

# Numeric, so that runtimes can see that it is not root.
RUN useradd --uid 10001 --create-home --home-dir /var/lib/tenon --shell /bin/bash tenon \
  && mkdir /work \
  && chown 10001:10001 /work
USER 10001:10001
ENV HOME=/var/lib/tenon
WORKDIR /work

# Ends what an agent has started when the container stops.
ENTRYPOINT ["tini", "--", "tenon"]
