/** What is kept in memory of the database, by the tables it is read from: {@link Facts} of one kind go together. */
export const changeKinds = ['keys', 'brands', 'shops', 'splits', 'work'] as const

/** A kind of rows that are read far more often than they change. */
export type ChangeKind = (typeof changeKinds)[number]

/** The channel on which processes tell each other that rows of a kind have changed. */
export const changeChannel = 'sluice_change'

const kindOfTable: Readonly<Record<string, ChangeKind>> = {
  api_key: 'keys',
  subscription: 'keys',
  brand: 'brands',
  merchant: 'brands',
  shop: 'shops',
  split: 'splits',
  work_due: 'work',
}

const writes = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)/g

/** The kinds of rows that a statement may change, read from its text: nobody has to remember to say so. */
export function changesOf(text: string): readonly ChangeKind[] {
  const kinds = [...text.matchAll(writes)].map(([, table = '']) => kindOfTable[table])
  return [...new Set(kinds.filter((kind) => kind !== undefined))]
}

/** What a statement has changed of what is kept in memory, and whose credentials it has ended. */
export type Told = {
  readonly kinds: readonly ChangeKind[]
  readonly ended: readonly string[]
}

const endedWord = 'ended'
/** PostgreSQL takes notices of less than 8,000 bytes. */
const endedAtOnce = 100

/** What processes tell each other, on the same channel, of those whose credentials have ended. */
export function endedNotices(ids: readonly string[]): string[] {
  const notices: string[] = []
  for (let from = 0; from < ids.length; from += endedAtOnce)
    notices.push([endedWord, ...ids.slice(from, from + endedAtOnce)].join(' '))
  return notices
}

/** Who wants to know that rows have changed, and whoever knows it, in this process. */
export class Changes {
  readonly #listeners = new Set<(kind: ChangeKind) => void>()
  readonly #endListeners = new Set<(ids: ReadonlySet<string>) => void>()
  readonly #silenceListeners = new Set<() => void>()
  readonly #hearingListeners = new Set<(isHearing: boolean) => void>()

  /** Has `listener` told of every change from now on. */
  listen(listener: (kind: ChangeKind) => void): void {
    this.#listeners.add(listener)
  }

  /** Has `listener` told whose credentials have ended: the ids of subscriptions and sessions, and wallets of members. */
  whenEnded(listener: (ids: ReadonlySet<string>) => void): void {
    this.#endListeners.add(listener)
  }

  /** Has `listener` told when others are heard, and when not any more: what they say meanwhile is lost. */
  whenHearing(listener: (isHearing: boolean) => void): void {
    this.#hearingListeners.add(listener)
  }

  /** Has `listener` told when the database is found silent: what it says on connections that stand open may be lost. */
  whenSilent(listener: () => void): void {
    this.#silenceListeners.add(listener)
  }

  /** Says that the database was found silent. */
  fallSilent(): void {
    for (const listener of this.#silenceListeners) listener()
  }

  /** Says that others are heard from now on, or not any more. */
  hear(isHearing: boolean): void {
    for (const listener of this.#hearingListeners) listener(isHearing)
  }

  /**
   * Says that rows of a kind have changed, or whose credentials have ended; a word of another process that is neither is
   * ignored.
   */
  tell(word: string): void {
    const [first, ...ids] = word.split(' ')
    if (first === endedWord) for (const listener of this.#endListeners) listener(new Set(ids))
    const kind = changeKinds.find((each) => each === word)
    if (kind) for (const listener of this.#listeners) listener(kind)
  }
}
