import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as fontkit from 'fontkit'
import subsetFont from 'subset-font'
import { Semaphore } from '../../kernel/turns/semaphore.ts'
import { BoundedMap } from '../../platform/bounded-map.ts'

export type Weight = 'regular' | 'bold'

export type Face = {
  readonly id: string
  readonly weight: Weight
  readonly data: Buffer
  /** The characters join and run right to left; the shaping engine orders them. */
  readonly isRightToLeft: boolean
  has(codePoint: number): boolean
}

export type FontSet = {
  /** Returns the face for a character, or `undefined` if no font contains it. */
  faceOf(codePoint: number, weight: Weight): Face | undefined
}

type Piece = {
  readonly id: string
  readonly file: string
  readonly ranges: readonly Range[]
  readonly signs: RegExp | undefined
}
type Range = readonly [first: number, last: number]

const axis = { regular: 400, bold: 650 } as const
const weights: readonly Weight[] = ['regular', 'bold']

/**
 * Limits the cost of a document with text in unusually many scripts. Characters from further font subsets are
 * replaced.
 */
const piecesPerDocument = 24
const keptBytes = 24 * 1024 * 1024

type Family = {
  readonly name: string
  readonly pieces: RegExp
  readonly signs?: RegExp
}

const families: readonly Family[] = [
  {
    name: 'noto-sans',
    pieces: /^(latin|latin-ext|greek|greek-ext|cyrillic|cyrillic-ext|vietnamese|devanagari)$/,
  },
  { name: 'noto-sans-arabic', pieces: /^(arabic|symbols|math)$/ },
  { name: 'noto-sans-hebrew', pieces: /^hebrew$/ },
  { name: 'noto-sans-thai', pieces: /^thai$/ },
  { name: 'noto-sans-kr', pieces: /^\[\d+\]$/, signs: /\p{Script=Hangul}/u },
  { name: 'noto-sans-sc', pieces: /^\[\d+\]$/ },
]

const rightToLeftPieces = new Set(['noto-sans-arabic arabic', 'noto-sans-hebrew hebrew'])

/**
 * Fonts for documents: Latin, Greek, Cyrillic, Vietnamese, Devanagari, Arabic, Hebrew, Thai, Korean, Chinese,
 * Japanese and symbols.
 *
 * The fonts are variable web fonts in subsets of a few hundred characters. A subset is made static and
 * decompressed on first use, then cached.
 */
export class FontBook {
  readonly #faces = new BoundedMap<Face>(keptBytes, ({ data }) => data.length)
  readonly #semaphore = new Semaphore(1)
  #pieces: Promise<Piece[]> | undefined

  async load(texts: Readonly<Record<Weight, string>>): Promise<FontSet> {
    this.#pieces ??= listPieces()
    const pieces = await this.#pieces
    const faces: Face[] = []
    for (const weight of weights) {
      const wanted = choosePieces(pieces, texts[weight])
      for (const piece of pieces.filter((each) => wanted.has(each)))
        faces.push(await this.#load(piece, weight))
    }
    return { faceOf: (sign, weight) => faces.find((face) => face.weight === weight && face.has(sign)) }
  }

  /** Runs sequentially, so that two documents do not build the same face concurrently. */
  #load(piece: Piece, weight: Weight): Promise<Face> {
    return this.#semaphore.run(async () => {
      const id = `${piece.id} ${weight}`
      const known = this.#faces.get(id)
      if (known) return known
      const face = await makeFace(piece, id, weight)
      this.#faces.set(id, face)
      return face
    })
  }
}

function choosePieces(pieces: readonly Piece[], text: string): ReadonlySet<Piece> {
  const wanted = new Set<Piece>()
  for (const codePoint of new Set([...text].map((sign) => sign.codePointAt(0) ?? 0))) {
    if (wanted.size >= piecesPerDocument) break
    for (const piece of pieces) if (covers(piece, codePoint)) wanted.add(piece)
  }
  return wanted
}

async function makeFace(piece: Piece, id: string, weight: Weight): Promise<Face> {
  const data = await subsetFont(await readFile(piece.file), '', {
    targetFormat: 'truetype',
    variationAxes: { wght: axis[weight] },
    keepAllGlyphs: true,
  })
  const font = fontkit.create(data)
  const signs = new Set('characterSet' in font ? font.characterSet : [])
  return {
    id,
    weight,
    data,
    isRightToLeft: rightToLeftPieces.has(piece.id),
    has: (sign) => signs.has(sign),
  }
}

async function listPieces(): Promise<Piece[]> {
  const require = createRequire(import.meta.url)
  const lists = families.map(async ({ name, pieces, signs }) => {
    const folder = dirname(require.resolve(`@fontsource-variable/${name}/package.json`))
    const ranges: Record<string, string> = JSON.parse(await readFile(join(folder, 'unicode.json'), 'utf8'))
    return Object.entries(ranges)
      .filter(([piece]) => pieces.test(piece))
      .sort(([a], [b]) => rank(a) - rank(b))
      .map(([piece, text]) => ({
        id: `${name} ${piece}`,
        file: join(folder, 'files', `${name}-${piece.replace(/[[\]]/g, '')}-wght-normal.woff2`),
        ranges: readRanges(text),
        signs,
      }))
  })
  return (await Promise.all(lists)).flat()
}

function rank(piece: string): number {
  return piece === 'latin' ? 0 : 1
}

/** Parses a CSS `unicode-range`: `U+0370-0377,U+20AC`. */
function readRanges(text: string): Range[] {
  return text.split(',').map((range): Range => {
    const [first = '', last = first] = range.replace(/^U\+/i, '').split('-')
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)]
  })
}

function covers({ ranges, signs }: Piece, codePoint: number): boolean {
  if (signs && !signs.test(String.fromCodePoint(codePoint))) return false
  return ranges.some(([first, last]) => codePoint >= first && codePoint <= last)
}
