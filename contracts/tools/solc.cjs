// SPDX-License-Identifier: Apache-2.0
/**
 * The npm compiler (WebAssembly, no network) behind the two options of the native one that forge uses.
 *
 * forge puts every source text into the JSON it sends, so no import callback is needed. But it names some
 * sources in node_modules by their absolute path where the import that wants them means a relative one, so
 * those are given under both names.
 * The version is printed as a native build prints it, because forge refuses `Emscripten`.
 */
'use strict'
const { readFileSync, writeSync } = require('node:fs')
const { isAbsolute, relative } = require('node:path')

/** Writes all of `text` to standard output, also when that is a pipe with little room. */
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
