# Tenon in a container, as the user `tenon`, with bubblewrap for the sandbox of commands.
#
#   docker build -t tenon .                                     # the newest version of the registry
#   docker build -t tenon --build-arg VERSION=0.1.0 .
#   docker run --rm -it --user "$(id -u):$(id -g)" -v "$PWD:/work" -v tenon:/var/lib/tenon \
#     --security-opt seccomp=unconfined --security-opt systempaths=unconfined tenon -p "find all files that mention TODO"
#
# Your own user id, because the files in /work are yours: without `--user` the user `tenon` reads them and changes nothing, and git refuses
# a repository of somebody else. bubblewrap needs user namespaces, which the default seccomp profile of Docker refuses, and a /proc without
# masked parts: hence the two options (Podman: `--userns keep-id --security-opt unmask=ALL`). Without them Landlock and seccomp serve, which
# cannot protect the settings of a repository: in one, commands then run without a sandbox, and Tenon says so. `tenon sandbox status` tells which.
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
  && chown 10001:10001 /work \
  # For whoever comes with `--user`.
  && chmod 1777 /work /var/lib/tenon
USER 10001:10001
ENV HOME=/var/lib/tenon
WORKDIR /work

# Ends what an agent has started when the container stops.
ENTRYPOINT ["tini", "--", "tenon"]
