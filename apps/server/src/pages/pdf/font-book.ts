import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as fontkit from 'fontkit'
import subsetFont from 'subset-font'
import { Lane } from '../../kernel/turns/lane.ts'
import { BoundedMap } from '../../platform/bounded-map.ts'

/** How heavy a text is set. */
export type Weight = 'regular' | 'bold'

/** A piece of a family in one weight: a static font with a part of the family's signs. */
export type Face = {
  /** The same for the same piece and weight. */
  readonly id: string
  readonly weight: Weight
  readonly data: Buffer
  /** Its signs are joined and run from right to left; the font itself puts them in their order. */
  readonly isRightToLeft: boolean
  has(codePoint: number): boolean
}

/** The faces a document needs, loaded. */
export type FontSet = {
  /** The face a sign is set in; `undefined` where no font has it. */
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

/** A document whose text is spread over more pieces than any language is has been made to cost: the rest is replaced. */
const piecesPerDocument = 24
const keptBytes = 24 * 1024 * 1024

type Family = {
  readonly name: string
  readonly pieces: RegExp
  /** The signs it is asked for, where others have the rest of its signs as well. */
  readonly signs?: RegExp
}

/** The families in the order they are asked. */
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

/** The pieces whose signs run from right to left. */
const rightToLeftPieces = new Set(['noto-sans-arabic arabic', 'noto-sans-hebrew hebrew'])

/**
 * Fonts for documents: Latin, Greek, Cyrillic, Vietnamese, Devanagari, Arabic, Hebrew, Thai, Korean, Chinese and
 * Japanese, and symbols.
 *
 * They come in pieces of some hundred signs each, as variable fonts in a format for the web. A piece is made static
 * and uncompressed when a document first needs it, and kept as long as there is room.
 */
export class FontBook {
  readonly #faces = new BoundedMap<Face>(keptBytes, ({ data }) => data.length)
  readonly #lane = new Lane(1)
  #pieces: Promise<Piece[]> | undefined

  /** Loads what the texts of a document are set in. */
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

  /** One after another, so that two documents do not make the same piece at once. */
  #load(piece: Piece, weight: Weight): Promise<Face> {
    return this.#lane.run(async () => {
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

/** The pieces of the families, with the signs that each says it has. */
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

/** What most texts are in comes first. */
function rank(piece: string): number {
  return piece === 'latin' ? 0 : 1
}

/** As style sheets write them: `U+0370-0377,U+20AC`. */
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
