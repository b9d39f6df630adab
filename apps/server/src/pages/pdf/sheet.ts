import PDFDocument from 'pdfkit'
import type { FontSet, Weight } from './font-book.ts'
import { layOutText, type Run, type Setting, widthOfRuns } from './lay-out-text.ts'

/** A4 in points, and the margins on it; what is drawn fits a Letter page too. */
const page = { width: 595.28, height: 841.89, margin: 48, bottom: 64 } as const
const lineHeight = 1.4

/** How wide a line can be. */
export const sheetWidth = page.width - 2 * page.margin

/** What a document says of itself. */
export type SheetInfo = {
  readonly title: string
  readonly author: string
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  /** The date in it; never that of its making, so that the same receipt is the same file. */
  readonly createdAt: number
}

/** How a text is set: `from` and `width` in points, from where lines begin. */
export type TextStyle = {
  readonly size?: number
  readonly weight?: Weight
  readonly color?: string
  readonly from?: number
  readonly width?: number
  readonly align?: 'start' | 'end'
}

/**
 * A document of pages that fill from the top. Everything is measured from the side on which lines begin, so that it
 * comes out mirrored in languages that run from right to left.
 */
export class Sheet {
  readonly #document: PDFKit.PDFDocument
  readonly #chunks: Buffer[] = []
  readonly #fonts: FontSet
  readonly #info: SheetInfo
  #y: number = page.margin
  #hasReplaced = false

  constructor(fonts: FontSet, info: SheetInfo) {
    this.#fonts = fonts
    this.#info = info
    const at = new Date(info.createdAt)
    this.#document = new PDFDocument({
      size: [page.width, page.height],
      margin: 0,
      bufferPages: true,
      lang: info.language,
      displayTitle: true,
      info: {
        Title: info.title,
        Author: info.author,
        Creator: 'Sluice',
        Producer: 'Sluice',
        CreationDate: at,
        ModDate: at,
      },
    })
    this.#document.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
  }

  /** Some sign could not be drawn, and stands there as a question mark. */
  get hasReplaced(): boolean {
    return this.#hasReplaced
  }

  /** Goes down by so many points. */
  space(points: number): void {
    this.#y += points
  }

  /** Begins a new page where fewer points are left; whether it did. */
  need(points: number): boolean {
    if (this.#y + points <= page.height - page.bottom) return false
    this.#document.addPage()
    this.#y = page.margin
    return true
  }

  /** Draws texts beside each other, and goes below the tallest. A row is never torn apart. */
  row(cells: readonly (TextStyle & { readonly text: string })[]): void {
    this.#drawRow(cells, (height) => this.need(Math.min(height, page.height / 2)))
  }

  #drawRow(
    cells: readonly (TextStyle & { readonly text: string })[],
    before: (height: number) => void,
  ): void {
    const laid = cells.map((cell) => ({ cell, ...this.#layOut(cell) }))
    const height = Math.max(0, ...laid.map((each) => each.lines.length * each.step))
    before(height)
    const top = this.#y
    for (const { cell, lines, step, setting } of laid) {
      for (const [i, runs] of lines.entries()) this.#drawLine(cell, setting, runs, top + i * step)
    }
    this.#y = top + height
  }

  /** Draws a text on lines of its own. */
  text(text: string, style: TextStyle = {}): void {
    this.row([{ ...style, text }])
  }

  /** A line across the page. */
  rule(thickness = 0.5, color = '#b9c4c8'): void {
    this.#document
      .moveTo(page.margin, this.#y)
      .lineTo(page.width - page.margin, this.#y)
      .lineWidth(thickness)
      .strokeColor(color)
      .stroke()
  }

  /** Draws a sign given as the path of a picture 24 points wide, in its own size, where the next line begins. */
  sign(path: string, size: number, from = 0): void {
    const left = this.#leftOf(from, size)
    this.#document
      .save()
      .translate(left, this.#y)
      .scale(size / 24)
      .path(path)
      .lineWidth(2.5)
      .lineCap('round')
      .lineJoin('round')
      .strokeColor('#000')
      .stroke()
      .restore()
  }

  /** Ends the document, with a foot on every page. */
  async finish(
    foot: (number: number, count: number) => { readonly start: string; readonly end: string },
  ): Promise<Buffer> {
    const { count } = this.#document.bufferedPageRange()
    for (let i = 0; i < count; i++) {
      this.#document.switchToPage(i)
      this.#y = page.height - page.bottom + 24
      const { start, end } = foot(i + 1, count)
      const style = { size: 7.5, color: '#444' }
      const cells = [
        { ...style, text: start, width: sheetWidth - 90 },
        { ...style, text: end, from: sheetWidth - 80, width: 80, align: 'end' as const },
      ]
      this.#drawRow(cells, () => {})
    }
    const ended = new Promise<void>((resolve) => void this.#document.on('end', resolve))
    this.#document.end()
    await ended
    return Buffer.concat(this.#chunks)
  }

  #layOut(cell: TextStyle & { readonly text: string }) {
    const { size = 9.5, weight = 'regular' } = cell
    const setting: Setting = {
      fonts: this.#fonts,
      weight,
      direction: this.#info.direction,
      widthOf: (run) => this.#widthOf(run) * size,
    }
    const { lines, hasReplaced } = layOutText(setting, cell.text, cell.width ?? sheetWidth - (cell.from ?? 0))
    this.#hasReplaced ||= hasReplaced
    return { lines, setting, step: size * lineHeight }
  }

  #drawLine(cell: TextStyle, setting: Setting, runs: readonly Run[], top: number): void {
    const { size = 9.5, color = '#000', from = 0, align = 'start' } = cell
    const room = cell.width ?? sheetWidth - from
    const taken = widthOfRuns(setting, runs)
    const isFromRight = (align === 'end') !== (this.#info.direction === 'rtl')
    let left = this.#leftOf(from, room) + (isFromRight ? room - taken : 0)
    for (const run of runs) {
      this.#use(run.face, size)
      this.#document
        .fillColor(color)
        .text(run.text, left, top + size, { lineBreak: false, baseline: 'alphabetic', features: [] })
      left += setting.widthOf(run)
    }
  }

  /** What a run takes at a size of one point; most words of a receipt come more than once. */
  #widthOf({ text, face }: Run): number {
    const key = `${face.id} ${text}`
    const known = this.#widths.get(key)
    if (known !== undefined) return known
    this.#use(face, 1_000)
    const width = this.#document.widthOfString(text, { features: [] }) / 1_000
    this.#widths.set(key, width)
    return width
  }

  readonly #widths = new Map<string, number>()

  #use(face: Run['face'], size: number): void {
    const isKnown = this.#known.has(face.id)
    if (!isKnown) this.#document.registerFont(face.id, face.data)
    this.#known.add(face.id)
    this.#document.font(face.id).fontSize(size)
  }

  readonly #known = new Set<string>()

  #leftOf(from: number, width: number): number {
    const { margin } = page
    return this.#info.direction === 'rtl' ? page.width - margin - from - width : margin + from
  }
}
