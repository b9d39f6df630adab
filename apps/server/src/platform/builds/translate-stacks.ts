import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findPosition, type Positions } from './stack-positions.ts'

/** Where a build keeps, of one of its files, where its lines came from. */
export const positionsName = (file: string) => `${file}.positions.json`
/** The same, the rows alone. */
export const rowsName = (file: string) => `${file}.positions`

/**
 * Has stack traces name the files and lines that somebody wrote, instead of those of the bundles in `folder`.
 *
 * Nothing is read before somebody looks at the first trace; then what is read may be forgotten again.
 */
export function translateStacks(folder: string): void {
  const place = `${pathToFileURL(folder).href}/`
  const known = new Map<string, WeakRef<Positions>>()
  const find = (file: string) => {
    const positions = known.get(file)?.deref() ?? readPositions(folder, file)
    known.set(file, new WeakRef(positions))
    return positions
  }
  const translate = (frame: string) => {
    const at = frame.indexOf(place)
    const [, file = '', line, column] = /^([^:/]+):(\d+):(\d+)/.exec(frame.slice(at + place.length)) ?? []
    if (at < 0 || file === '') return frame
    const found = findPosition(find(file), Number(line), Number(column))
    if (!found) return frame
    return `${frame.slice(0, at)}${found.source}:${found.line}${frame.endsWith(')') ? ')' : ''}`
  }
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => {
      const text = String(frame)
      try {
        return `\n    at ${translate(text)}`
      } catch {
        // The build is gone, or half of it: a trace that names the bundle is better than none.
        return `\n    at ${text}`
      }
    })
    return `${describe(error)}${lines.join('')}`
  }
}

function describe(error: Error): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}

function readPositions(folder: string, file: string): Positions {
  const name = basename(file)
  const sources: string[] = JSON.parse(readFileSync(`${folder}/${positionsName(name)}`, 'utf8'))
  const bytes = readFileSync(`${folder}/${rowsName(name)}`)
  return { sources, rows: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4) }
}
