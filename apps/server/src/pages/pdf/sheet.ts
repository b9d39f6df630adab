import PDFDocument from 'pdfkit'
import type { FontSet, Weight } from './font-book.ts'
import { layOutText, type Run, type Setting, widthOfRuns } from './lay-out-text.ts'

/** A4 in points. With these margins, the content also fits a Letter page. */
const page = { width: 595.28, height: 841.89, margin: 48, bottom: 64 } as const
const lineHeight = 1.4

export const sheetWidth = page.width - 2 * page.margin

export type SheetInfo = {
  readonly title: string
  readonly author: string
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  /** Date of the receipt, never the current time, so that the same receipt produces the same file. */
  readonly createdAt: number
}

/** Style of a text. `from` and `width` are in points from the line's start. */
export type TextStyle = {
  readonly size?: number
  readonly weight?: Weight
  readonly color?: string
  readonly from?: number
  readonly width?: number
  readonly align?: 'start' | 'end'
  /** True for third-party text, whose direction does not follow the page. */
  readonly isForeign?: boolean
}

/**
 * PDF document whose pages are filled from the top.
 *
 * Positions are measured from the start of the line, so right-to-left languages are mirrored.
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

  /** True if a character had no font and was drawn as a question mark. */
  get hasReplaced(): boolean {
    return this.#hasReplaced
  }

  space(points: number): void {
    this.#y += points
  }

  /** Starts a new page if fewer points are left on the current page. Returns whether a page was started. */
  need(points: number): boolean {
    if (this.#y + points <= page.height - page.bottom) return false
    this.#document.addPage()
    this.#y = page.margin
    return true
  }

  /** Draws texts side by side and moves below the tallest. Keeps a row on one page. */
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

  text(text: string, style: TextStyle = {}): void {
    this.row([{ ...style, text }])
  }

  rule(thickness = 0.5, color = '#b9c4c8'): void {
    this.#document
      .moveTo(page.margin, this.#y)
      .lineTo(page.width - page.margin, this.#y)
      .lineWidth(thickness)
      .strokeColor(color)
      .stroke()
  }

  /** Draws a 24-point icon path, scaled to `size`, at the start of the next line. */
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
      direction: cell.isForeign ? 'auto' : this.#info.direction,
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

  /** Returns the width at a size of one point. Cached, because most words in a receipt repeat. */
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
