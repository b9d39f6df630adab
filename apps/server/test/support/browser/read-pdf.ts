import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** Returns the text of each PDF page, one text run per line. */
export async function readPdf(pdf: Uint8Array): Promise<string[]> {
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0, disableFontFace: true })
    .promise
  const pages: string[] = []
  for (let i = 1; i <= document.numPages; i++) {
    const { items } = await (await document.getPage(i)).getTextContent()
    pages.push(items.map((item) => ('str' in item ? item.str : '')).join('\n'))
  }
  return pages
}

export function joinPdf(pages: readonly string[]): string {
  return pages.join('').replaceAll('\n', '')
}
