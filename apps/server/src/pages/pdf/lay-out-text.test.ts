import { beforeAll, describe, expect, test } from 'vitest'
import { FontBook, type FontSet } from './font-book.ts'
import { layOutText, type Run, type Setting, widthOfRuns } from './lay-out-text.ts'

const arabic = 'قهوة عربية (مع الهيل)'
const chinese = '云南小粒咖啡豆深度烘焙'
let fonts: FontSet
beforeAll(async () => {
  const text = `?aZ 019.,()—ÄŁ Ελληνικός Кофе ${arabic} ${chinese} コーヒー`
  fonts = await new FontBook().load({ regular: text, bold: '?aZ 0' })
})

const setting = (more: Partial<Setting> = {}): Setting => ({
  fonts,
  weight: 'regular',
  direction: 'ltr',
  widthOf: ({ text }) => [...text].length,
  ...more,
})
const textOf = (runs: readonly Run[] | undefined) => (runs ?? []).map(({ text }) => text).join('')
const linesOf = (text: string, width: number, more: Partial<Setting> = {}) =>
  layOutText(setting(more), text, width).lines.map(textOf)

describe('the fonts', () => {
  test.each([
    ['Latin', 'Äł'],
    ['Greek', 'Ελ'],
    ['Cyrillic', 'Кф'],
    ['Arabic', 'قه'],
    ['Chinese', '咖啡'],
    ['Japanese', 'コー'],
    ['Korean', '커피한글'],
    ['Hebrew', 'קפה'],
    ['Thai', 'กาแฟ'],
    ['Hindi', 'कॉफ़ी'],
  ])('have the signs of %s', async (_, signs) => {
    const set = await new FontBook().load({ regular: signs, bold: signs })
    for (const sign of signs) {
      for (const weight of ['regular', 'bold'] as const)
        expect([sign, weight, set.faceOf(sign.codePointAt(0) ?? 0, weight)?.weight]).toEqual([
          sign,
          weight,
          weight,
        ])
    }
  })

  test('load no more than a document of one person can need, whatever is in it', async () => {
    const all = Array.from({ length: 20_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
    const set = await new FontBook().load({ regular: `a${all}`, bold: '' })
    const faces = new Set([...all].map((sign) => set.faceOf(sign.codePointAt(0) ?? 0, 'regular')?.id))
    expect(faces.size).toBeLessThanOrEqual(25)
  })
})

describe('what a font cannot shape', () => {
  const failsOn = (part: string) => ({
    widthOf: ({ text }: Run) => {
      if (text.includes(part)) throw new TypeError('null anchor')
      return [...text].length
    },
  })

  test('is replaced, and the rest stays', () => {
    const { lines, hasReplaced } = layOutText(setting(failsOn('b')), 'abc aaa', 20)
    expect([lines.map(textOf), hasReplaced]).toEqual([['a?c aaa'], true])
  })

  test('is replaced with its word, or its line, if only the combination fails', () => {
    expect(linesOf('abc aaa', 20, failsOn('bc'))).toEqual(['??? aaa'])
    expect(linesOf('abc aaa', 20, failsOn('c a'))).toEqual(['??? ???'])
  })
})

describe('lines', () => {
  test('break between words and are never wider than there is room', () => {
    expect(linesOf('aa aa aaa a aaaa', 5)).toEqual(['aa aa', 'aaa a', 'aaaa'])
  })

  test('break within a word that is wider than a line, and lose nothing of it', () => {
    const lines = linesOf(`aa ${'a'.repeat(23)}`, 10)
    expect(lines.every((line) => line.length <= 10)).toBe(true)
    expect(lines.join('').replaceAll(' ', '')).toBe('a'.repeat(25))
  })

  test('break between signs of scripts without spaces', () => {
    expect(linesOf(chinese, 4)).toEqual(['云南小粒', '咖啡豆深', '度烘焙'])
  })

  test('of nothing are none', () => {
    expect(linesOf('', 10)).toEqual([])
    expect(linesOf('\u200b\u202e', 10)).toEqual([])
  })
})

describe('the order on a line', () => {
  const runsOf = (text: string, more: Partial<Setting> = {}) =>
    layOutText(setting(more), text, 1_000).lines[0] ?? []

  test('of Arabic between Latin words keeps the words around it, and turns only what is Arabic', () => {
    const runs = runsOf('aa قهوة عربية 019')
    expect(runs[0]?.text.startsWith('aa')).toBe(true)
    const faces = runs.map(({ face }) => face.isRightToLeft)
    expect(faces).toContain(true)
    expect(textOf(runs).replaceAll(' ', '')).toContain('019')
    expect(runs.findIndex(({ text }) => text.includes('019'))).toBeLessThan(
      runs.findIndex(({ text }) => text.includes('قهوة')),
    )
  })

  test('brackets around Arabic open towards where it begins', () => {
    const shown = textOf(runsOf(arabic))
    expect(shown.indexOf('(')).toBeLessThan(shown.indexOf(')'))
  })

  test('on a page that runs from right to left puts the first words last', () => {
    const shown = textOf(runsOf('قهوة aa', { direction: 'rtl' }))
    expect(shown.indexOf('aa')).toBeLessThan(shown.indexOf('ق'))
  })

  test('a run is one face, and all runs together are the text', () => {
    const runs = runsOf(`aZ Ελ Ко ${chinese}`)
    expect(textOf(runs)).toBe(`aZ Ελ Ко ${chinese}`)
    expect(widthOfRuns(setting(), runs)).toBe([...textOf(runs)].length)
    for (const { text, face } of runs)
      for (const sign of text.replaceAll(' ', '')) expect(face.has(sign.codePointAt(0) ?? 0)).toBe(true)
  })
})

test('a sign that no font has stands there as a question mark, and that is told', () => {
  const { lines, hasReplaced } = layOutText(setting(), 'a กา ☕ Z', 100)
  expect(textOf(lines[0])).toBe('a ?? ? Z')
  expect(hasReplaced).toBe(true)
  expect(layOutText(setting(), 'aZ 019', 100).hasReplaced).toBe(false)
})

test('signs that hide or turn text are left out', () => {
  expect(linesOf('a\u202eZ\u0000a\n019\ufe0f', 100)).toEqual(['aZ a 019'])
})

test('an address keeps its order on a page that runs from right to left, as somebody else’s words', () => {
  const lineOf = (direction: Setting['direction']) => linesOf('019 aZ aa', 100, { direction })
  expect(lineOf('auto')).toEqual(['019 aZ aa'])
  expect(lineOf('rtl')).not.toEqual(['019 aZ aa'])
})
