"""Runs llama.cpp's server on loopback: model file, port, context size, and a key or "-"."""

import sys
import threading

import xllamacpp

model, port, context, key = sys.argv[1:5]
params = xllamacpp.CommonParams()
params.model.path = model
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_ctx = int(context)
params.n_parallel = 1
params.use_jinja = True
# One thread: several of them wait for each other at every token, which takes minutes on a busy machine.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
if key != "-":
    params.api_keys = [key]
server = xllamacpp.Server(params)
threading.Event().wait()
