import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import type { Fault } from '../source/fault.ts'

/** The messages of a file: ICU MessageFormat by key. */
export type Messages = Readonly<Record<string, string>>

/** What a language lacks, has too much of, or fills otherwise than English does. */
export function judgeMessages(
  folder: string,
  locale: string,
  english: ReadonlyMap<string, Messages>,
  other: ReadonlyMap<string, Messages>,
): Fault[] {
  return [...new Set([...english.keys(), ...other.keys()])].flatMap((file) => {
    const path = `${folder}/${locale}/${file}`
    const [theirs, ours] = [other.get(file), english.get(file)]
    if (!ours) return [{ path, line: 1, rule: 'messages', message: 'there is no such file in English' }]
    if (!theirs) return [{ path, line: 1, rule: 'messages', message: 'the file is missing' }]
    return judgeFile(path, file.replace('.json', ''), ours, theirs)
  })
}

function judgeFile(path: string, part: string, english: Messages, other: Messages): Fault[] {
  const fault = (key: string, message: string): Fault => ({
    path,
    line: Object.keys(other).indexOf(key) + 2,
    rule: 'messages',
    message: `${key} ${message}`,
  })
  const missing = Object.keys(english).filter((key) => other[key] === undefined)
  const faults = missing.map((key) => fault(key, 'is missing'))
  for (const [key, text] of Object.entries(other)) {
    const ours = english[key]
    const slots = slotsOf(text)
    if (!key.startsWith(`${part}.`)) faults.push(fault(key, `belongs in another file than ${part}.json`))
    if (ours === undefined) faults.push(fault(key, 'is not in English'))
    else if (slots === undefined) faults.push(fault(key, 'is not ICU MessageFormat'))
    else if (text.trim() === '') faults.push(fault(key, 'is empty'))
    else if (slots !== slotsOf(ours))
      faults.push(fault(key, `has ${slots || 'no gaps'}, English has ${slotsOf(ours)}`))
  }
  return faults
}

/** The placeholders and tags of a message, sorted; `undefined` where it cannot be read. */
function slotsOf(text: string): string | undefined {
  try {
    return [...new Set(parse(text).flatMap(slotsIn))].sort().join(' ')
  } catch {
    return undefined
  }
}

function slotsIn(node: MessageFormatElement): string[] {
  switch (node.type) {
    case TYPE.literal:
    case TYPE.pound:
      return []
    case TYPE.select:
    case TYPE.plural:
      return [
        `{${node.value}}`,
        ...Object.values(node.options).flatMap(({ value }) => value.flatMap(slotsIn)),
      ]
    case TYPE.tag:
      return [`<${node.value}>`, ...node.children.flatMap(slotsIn)]
    default:
      return [`{${node.value}}`]
  }
}
