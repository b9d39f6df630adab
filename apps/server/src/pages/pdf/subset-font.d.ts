declare module 'subset-font' {
  /** A font with its axes pinned, as the file of another format. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: {
      readonly targetFormat: 'truetype'
      readonly variationAxes: Readonly<Record<string, number>>
      readonly keepAllGlyphs: true
    },
  ): Promise<Buffer>
}
