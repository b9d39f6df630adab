/** The channel on which processes notify each other to drop their cache, and of ended credentials. */
export const changeChannel = 'sluice_change'

/** The notification that a table was written from which caches are read. */
export const changedWord = 'changed'
const endedWord = 'ended'
/** PostgreSQL takes notifications of less than 8,000 bytes. */
const endedAtOnce = 100

const writes =
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:api_key|subscription|brand|merchant|shop|split)\b/

/** Whether a statement writes a table from which caches are read. */
export function writesCached(text: string): boolean {
  return writes.test(text)
}

/** The notifications of the credentials that have ended. */
export function endedNotices(ids: readonly string[]): string[] {
  const notices: string[] = []
  for (let from = 0; from < ids.length; from += endedAtOnce)
    notices.push([endedWord, ...ids.slice(from, from + endedAtOnce)].join(' '))
  return notices
}

/** What this process and others have changed, for the parts of this process that depend on it. */
export class Changes {
  readonly #changeListeners = new Set<() => void>()
  readonly #endListeners = new Set<(ids: ReadonlySet<string>) => void>()
  readonly #silenceListeners = new Set<() => void>()
  readonly #hearingListeners = new Set<(isHearing: boolean) => void>()

  /** Calls `listener` at each write to a table from which caches are read. */
  whenChanged(listener: () => void): void {
    this.#changeListeners.add(listener)
  }

  /** Calls `listener` with ended credentials: the ids of subscriptions and sessions, and wallets of members. */
  whenEnded(listener: (ids: ReadonlySet<string>) => void): void {
    this.#endListeners.add(listener)
  }

  /** Calls `listener` when notifications are received, and when they are not any more: those in between are lost. */
  whenHearing(listener: (isHearing: boolean) => void): void {
    this.#hearingListeners.add(listener)
  }

  /** Calls `listener` when the database stops answering: notifications on open connections may be lost. */
  whenSilent(listener: () => void): void {
    this.#silenceListeners.add(listener)
  }

  /** Reports that the database stopped answering. */
  fallSilent(): void {
    for (const listener of this.#silenceListeners) listener()
  }

  /** Reports that notifications are received from now on, or not any more. */
  hear(isHearing: boolean): void {
    for (const listener of this.#hearingListeners) listener(isHearing)
  }

  /** Reports a notification of {@link changeChannel}. */
  tell(word: string): void {
    const [first, ...ids] = word.split(' ')
    if (first === endedWord) for (const listener of this.#endListeners) listener(new Set(ids))
    if (first === changedWord) for (const listener of this.#changeListeners) listener()
  }
}
