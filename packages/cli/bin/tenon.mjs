#!/usr/bin/env node
import './compile-cache.mjs';
import '../dist/main.js';
