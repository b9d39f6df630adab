// Plain JavaScript: what is TypeScript would be compiled before the cache of what was compiled is found.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Where the folder cannot be written, everything is compiled at each start, and nothing else is different.
module.enableCompileCache?.(fileURLToPath(new URL('../../../.cache/compiled', import.meta.url)))
await import('./main.ts')
