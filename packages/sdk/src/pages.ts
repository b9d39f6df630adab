/** One page of a list. Iterating over a page yields its entries and those of all following pages. */
export type Page<Entry, Body> = AsyncIterable<Entry> & {
  /** Entries of this page. */
  readonly data: readonly Entry[]
  /** Cursor of the next page, or `undefined` on the last page. */
  readonly nextCursor: string | undefined
  /** Complete response, with the fields that only some lists have, such as `total`. */
  readonly body: Body
}

/**
 * Resolves to the first page. `for await` iterates over the entries of all pages and requests each page when
 * needed.
 */
export type List<Entry, Body> = Promise<Page<Entry, Body>> & AsyncIterable<Entry>

type PageContent<Entry, Body> = Pick<Page<Entry, Body>, 'data' | 'nextCursor' | 'body'>

/** Creates a list. The first page is requested immediately. */
export function makeList<Entry, Body>(
  readPage: (cursor: string | undefined) => Promise<PageContent<Entry, Body>>,
): List<Entry, Body> {
  async function* iterate(first: PageContent<Entry, Body>): AsyncGenerator<Entry, void, undefined> {
    for (let page = first; ; page = await readPage(page.nextCursor)) {
      yield* page.data
      if (page.nextCursor === undefined) return
    }
  }
  const first = readPage(undefined).then((page) => ({ ...page, [Symbol.asyncIterator]: () => iterate(page) }))
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      yield* await first
    },
  })
}
