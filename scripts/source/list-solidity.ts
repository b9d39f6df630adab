import type { Declaration } from './list-declarations.ts'

const containers = /\b(?:contract|library|interface)\s+(\w+)[^{;]*\{/g
const members = /\bfunction\s+(\w+)|\bmodifier\s+(\w+)|\b(constructor)\s*\(|[^;{}]*\bconstant\s+(\w+)/g

/**
 * What a Solidity file declares: contracts as `SplitFactory`, their functions, modifiers and constants as
 * `SplitFactory.sweep`. Overloads have one name.
 */
export function listSolidity(path: string, text: string): Declaration[] {
  const code = blankComments(text)
  return [...code.matchAll(containers)].flatMap((container) => {
    const name = container[1] ?? ''
    const end = endOf(code, container.index)
    const inner = code.slice(0, end)
    members.lastIndex = container.index + container[0].length
    const found: Declaration[] = [{ path, name, start: container.index, end }]
    for (let match = members.exec(inner); match; match = members.exec(inner)) {
      const member = match[1] ?? match[2] ?? match[3] ?? match[4]
      const start = match.index + match[0].search(/\S/)
      const memberEnd = endOf(inner, start)
      found.push({ path, name: `${name}.${member}`, start, end: memberEnd })
      members.lastIndex = memberEnd
    }
    return found
  })
}

/** Where the first statement or block after `start` ends. */
function endOf(code: string, start: number): number {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    const sign = code[at]
    if (sign === ';' && depth === 0) return at + 1
    if (sign === '{') depth++
    if (sign === '}' && --depth === 0) return at + 1
  }
  return code.length
}

/** The text with blanks in place of comments and what stands between quotation marks, each as long as before. */
function blankComments(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"[^"\n]*"/g, (found) => found.replace(/[^\n]/g, ' '))
}
