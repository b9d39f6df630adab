/** Which page of a list. */
export type ListOptions = {
  /** 1–200; 100 where absent. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** The entries of all pages, each page asked for when it is needed. */
export async function* eachOf<T>(
  readPage: (
    cursor: string | undefined,
  ) => Promise<{ entries: readonly T[]; nextCursor: string | null | undefined }>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined
  do {
    const page = await readPage(cursor)
    yield* page.entries
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
