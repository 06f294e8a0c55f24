#!/usr/bin/env node
console.log("[" + require("./")("x", 3) + "]");
