import bidiFactory, { type Bidi } from 'bidi-js'
import type { Face, FontSet, Weight } from './font-book.ts'

/** A stretch of a line that is drawn at once: one face, in the order the face wants it. */
export type Run = { readonly text: string; readonly face: Face }

/** How text is set. */
export type Setting = {
  readonly fonts: FontSet
  readonly weight: Weight
  /** The direction of the text as a whole; `auto`: that of its first letter. */
  readonly direction: 'ltr' | 'rtl' | 'auto'
  /** What a run takes, in the size it is drawn in. */
  readonly widthOf: (run: Run) => number
}

/** Lines of a text, each of runs from left to right, and whether a sign had to be replaced. */
export type LaidOut = { readonly lines: readonly (readonly Run[])[]; readonly hasReplaced: boolean }

type Cluster = {
  readonly text: string
  readonly face: Face
  readonly level: number
  readonly isBreakAfter: boolean
}

// The package's types are those of a module, which it is not: what is imported is the function itself.
const bidi = (bidiFactory as unknown as () => Bidi)()
const clustersOf = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Between signs of these scripts a line may end anywhere. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** Thai has no spaces between its words either, but its lines end between words alone. */
const thai = /\p{Script=Thai}/u
const thaiWords = new Intl.Segmenter('th', { granularity: 'word' })
/** Signs of scripts that run from right to left, and what makes others do so. */
const rightToLeft =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** What ends a line, and what shows nothing or turns the direction of what follows. */
const breaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
const invisible = /(?![\u200e\u200f])\p{Cf}|\p{Variation_Selector}/gu
/** They only say which way their neighbours run. */
const marks = /^[\u200e\u200f]+$/

/**
 * Breaks a text into lines of at most `width`, and puts the signs of each into the order they are seen in (Unicode's
 * bidirectional algorithm). A word that is wider than a line is broken within. Signs that no font has are replaced.
 */
export function layOutText(setting: Setting, text: string, width: number): LaidOut {
  const { clusters, ...read } = readClusters(setting, text.replace(breaks, ' ').replace(invisible, '').trim())
  let { hasReplaced } = read
  /** Clusters that can be set one by one may fail together. */
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

/** What a laid out line takes. */
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

/** Returns whether the shaping engine can set the runs. It fails on some sequences that a font's tables do not expect. */
function canShape(setting: Setting, runs: readonly Run[]): boolean {
  try {
    widthOfRuns(setting, runs)
    return true
  } catch {
    return false
  }
}

/** Where the words of Thai end in a text. */
function thaiEnds(text: string): number[] {
  return [...thaiWords.segment(text)]
    .filter(({ segment }) => thai.test(segment))
    .map(({ index, segment }) => index + segment.length)
}

/** In the place of what no font has; the Latin face has it. */
const replacement = '?'

function replacementFace({ fonts, weight }: Setting): Face | undefined {
  return fonts.faceOf(replacement.codePointAt(0) ?? 0, weight)
}

/** A space stays with what is before it, so that runs are long. A cluster is set in one face or in none. */
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

/** Without the spaces at its end, which take no room there. */
function withoutEnd(clusters: readonly Cluster[]): readonly Cluster[] {
  const last = clusters.findLastIndex(({ text }) => text !== ' ')
  return clusters.slice(0, last + 1)
}

/** From left to right: each level turns around what is of it and above (rule L2 of the algorithm). */
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
    // A face that runs from right to left turns a run around by itself, so it gets it as it is read.
    if (last?.face === face && last.isTurned === isTurned)
      last.text = isTurned ? text + last.text : last.text + text
    else runs.push({ text, face, isTurned })
  }
  return runs.map(({ text, face }) => ({ text, face }))
}
