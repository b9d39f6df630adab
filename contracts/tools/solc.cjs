// SPDX-License-Identifier: Apache-2.0
/**
 * Wraps the npm compiler (WebAssembly, no network) with the two options of the native compiler that forge
 * uses.
 *
 * forge includes every source text in its JSON input, so no import callback is needed. But forge names some
 * sources in node_modules by absolute path although the import uses a relative one, so these are passed under
 * both names. The version is printed in the format of a native build, because forge rejects `Emscripten`.
 */
'use strict'
const { readFileSync, writeSync } = require('node:fs')
const { isAbsolute, relative } = require('node:path')

/** Writes all of `text` to standard output, even to a pipe with a small buffer. */
function print(text) {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

const options = process.argv.slice(2)
if (options.includes('--version')) {
  const version = require('solc/package.json').version
  if (version !== '0.8.37') throw new Error(`tools/solc.cjs knows solc 0.8.37, node_modules holds ${version}`)
  print('solc, the solidity compiler commandline interface\nVersion: 0.8.37+commit.f401782d.Linux.clang\n')
} else if (options.includes('--standard-json')) {
  const input = JSON.parse(readFileSync(0, 'utf8'))
  for (const [name, source] of Object.entries(input.sources)) {
    if (isAbsolute(name)) input.sources[relative(process.cwd(), name)] ??= source
  }
  print(require('solc').compile(JSON.stringify(input)))
} else {
  process.stderr.write(`tools/solc answers only --version and --standard-json, not: ${options.join(' ')}\n`)
  process.exitCode = 2
}
