import bidiFactory, { type Bidi } from 'bidi-js'
import type { Face, FontSet, Weight } from './font-book.ts'

export type Run = { readonly text: string; readonly face: Face }

export type Setting = {
  readonly fonts: FontSet
  readonly weight: Weight
  /** Base direction of the text; `auto`: the direction of its first letter. */
  readonly direction: 'ltr' | 'rtl' | 'auto'
  /** Returns a run's width at the drawn size. */
  readonly widthOf: (run: Run) => number
}

/** Lines of a text as runs from left to right. `hasReplaced` is true if a character had no font. */
export type LaidOut = { readonly lines: readonly (readonly Run[])[]; readonly hasReplaced: boolean }

type Cluster = {
  readonly text: string
  readonly face: Face
  readonly level: number
  readonly isBreakAfter: boolean
}

// The package's types describe an ES module, but the import is the function itself.
const bidi = (bidiFactory as unknown as () => Bidi)()
const clustersOf = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Scripts that allow a line break between any two characters. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** Thai has no spaces between words either, but its lines break only between words. */
const thai = /\p{Script=Thai}/u
const thaiWords = new Intl.Segmenter('th', { granularity: 'word' })
/** Right-to-left characters and the controls that switch the direction. */
const rightToLeft =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** Line breaks, and invisible or direction-changing characters. */
const breaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
const invisible = /(?![\u200e\u200f])\p{Cf}|\p{Variation_Selector}/gu
/** Direction marks: they only affect the direction of adjacent characters. */
const marks = /^[\u200e\u200f]+$/

/**
 * Breaks a text into lines of at most `width`, in visual order (Unicode bidirectional algorithm).
 *
 * Breaks a word that is wider than a line. Replaces characters that no font contains.
 */
export function layOutText(setting: Setting, text: string, width: number): LaidOut {
  const { clusters, ...read } = readClusters(setting, text.replace(breaks, ' ').replace(invisible, '').trim())
  let { hasReplaced } = read
  /** Clusters that can be shaped separately may fail together. */
  const shapeable = (part: readonly Cluster[]): readonly Cluster[] => {
    if (canShape(setting, runsOf(part))) return part
    hasReplaced = true
    const face = replacementFace(setting)
    if (!face) return []
    return part.map((cluster) => (cluster.text === ' ' ? cluster : { ...cluster, text: replacement, face }))
  }
  const lines: Cluster[][] = []
  let line: Cluster[] = []
  let used = 0
  const measure = (word: readonly Cluster[]) => widthOfLine(setting, word)
  const end = () => {
    lines.push(line)
    line = []
    used = 0
  }
  for (const each of wordsOf(clusters)) {
    const word = shapeable(each)
    const wide = measure(withoutEnd(word))
    if (line.length > 0 && used + wide > width) end()
    if (wide <= width) {
      line.push(...word)
      used += measure(word)
      continue
    }
    for (const cluster of word) {
      const more = measure([cluster])
      if (line.length > 0 && used + more > width) end()
      line.push(cluster)
      used += more
    }
  }
  if (line.length > 0) end()
  const laid = lines.map((each) => runsOf(shapeable(withoutEnd(each))))
  return { lines: laid, hasReplaced }
}

export function widthOfRuns(setting: Pick<Setting, 'widthOf'>, runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + setting.widthOf(run), 0)
}

function widthOfLine(setting: Setting, clusters: readonly Cluster[]): number {
  return widthOfRuns(setting, runsOf(clusters))
}

function readClusters(setting: Setting, text: string): { clusters: Cluster[]; hasReplaced: boolean } {
  const { fonts, weight, direction } = setting
  const isOneWay = direction !== 'rtl' && !rightToLeft.test(text)
  const levels = isOneWay ? undefined : bidi.getEmbeddingLevels(text, direction).levels
  const ends = new Set(thai.test(text) ? thaiEnds(text) : [])
  let hasReplaced = false
  let before: Face | undefined
  const clusters = [...clustersOf.segment(text)].flatMap(({ segment, index }): Cluster[] => {
    if (marks.test(segment)) return []
    const level = levels?.[index] ?? 0
    let shown = segment
    let face = faceOfCluster(fonts, segment, weight, before)
    if (!face || !canShape(setting, [{ text: segment, face }])) {
      hasReplaced = true
      shown = replacement
      face = replacementFace(setting)
    }
    if (!face) return []
    before = face
    const mirrored = level % 2 === 1 && !face.isRightToLeft ? bidi.getMirroredCharacter(shown) : null
    const isBreakAfter = segment === ' ' || unspaced.test(segment) || ends.has(index + segment.length)
    return [{ text: mirrored ?? shown, face, level, isBreakAfter }]
  })
  return { clusters, hasReplaced }
}

/** Returns whether the shaping engine can shape the runs. Some sequences make it fail on a font's tables. */
function canShape(setting: Setting, runs: readonly Run[]): boolean {
  try {
    widthOfRuns(setting, runs)
    return true
  } catch {
    return false
  }
}

function thaiEnds(text: string): number[] {
  return [...thaiWords.segment(text)]
    .filter(({ segment }) => thai.test(segment))
    .map(({ index, segment }) => index + segment.length)
}

/** Replacement for characters without a font; the Latin face contains it. */
const replacement = '?'

function replacementFace({ fonts, weight }: Setting): Face | undefined {
  return fonts.faceOf(replacement.codePointAt(0) ?? 0, weight)
}

/**
 * Returns the face with all characters of a cluster, or `undefined` if there is none. A space keeps the face
 * of the preceding text, for longer runs.
 */
function faceOfCluster(
  fonts: FontSet,
  cluster: string,
  weight: Weight,
  before: Face | undefined,
): Face | undefined {
  const signs = [...cluster].map((sign) => sign.codePointAt(0) ?? 0)
  if (cluster === ' ' && before?.has(0x20)) return before
  const face = fonts.faceOf(signs[0] ?? 0, weight)
  return face && signs.every((sign) => face.has(sign)) ? face : undefined
}

function* wordsOf(clusters: readonly Cluster[]): Generator<Cluster[]> {
  let word: Cluster[] = []
  for (const cluster of clusters) {
    word.push(cluster)
    if (!cluster.isBreakAfter) continue
    yield word
    word = []
  }
  if (word.length > 0) yield word
}

/** Drops trailing spaces, which take no width. */
function withoutEnd(clusters: readonly Cluster[]): readonly Cluster[] {
  const last = clusters.findLastIndex(({ text }) => text !== ' ')
  return clusters.slice(0, last + 1)
}

/** Orders runs from left to right: reverses each embedding level and above (UAX #9, rule L2). */
function runsOf(clusters: readonly Cluster[]): Run[] {
  const order = [...clusters]
  const levels = order.map(({ level }) => level)
  const highest = Math.max(0, ...levels)
  for (let level = highest; level > 0; level--) {
    for (let start = 0; start < order.length; start++) {
      let end = start
      while ((order[end]?.level ?? -1) >= level) end++
      if (end > start + 1) order.splice(start, end - start, ...order.slice(start, end).reverse())
      if (end > start) start = end - 1
    }
  }
  const runs: { text: string; face: Face; isTurned: boolean }[] = []
  for (const { text, face, level } of order) {
    const isTurned = face.isRightToLeft && level % 2 === 1
    const last = runs.at(-1)
    // The shaping engine reverses right-to-left runs, so it gets them in logical order.
    if (last?.face === face && last.isTurned === isTurned)
      last.text = isTurned ? text + last.text : last.text + text
    else runs.push({ text, face, isTurned })
  }
  return runs.map(({ text, face }) => ({ text, face }))
}
