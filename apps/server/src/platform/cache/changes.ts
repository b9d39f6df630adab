export const changeChannel = 'sluice_change'

export const changedWord = 'changed'
const endedWord = 'ended'
/**
 * Maximum number of ended credentials in a notification, which PostgreSQL limits to fewer than 8,000 bytes.
 */
const endedAtOnce = 100

const writes =
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:api_key|subscription|brand|merchant|shop|split)\b/

export function writesCached(text: string): boolean {
  return writes.test(text)
}

export function endedChanges(ids: readonly string[]): string[] {
  const messages: string[] = []
  for (let from = 0; from < ids.length; from += endedAtOnce)
    messages.push([endedWord, ...ids.slice(from, from + endedAtOnce)].join(' '))
  return messages
}

export class Changes {
  readonly #changeListeners = new Set<() => void>()
  readonly #endListeners = new Set<(ids: ReadonlySet<string>) => void>()
  readonly #silenceListeners = new Set<() => void>()
  readonly #hearingListeners = new Set<(isHearing: boolean) => void>()

  whenChanged(listener: () => void): void {
    this.#changeListeners.add(listener)
  }

  whenEnded(listener: (ids: ReadonlySet<string>) => void): void {
    this.#endListeners.add(listener)
  }

  /** Calls `listener` when notifications start or stop arriving. Notifications in between are lost. */
  whenHearing(listener: (isHearing: boolean) => void): void {
    this.#hearingListeners.add(listener)
  }

  /** Calls `listener` when the database stops responding, because open connections may lose notifications. */
  whenSilent(listener: () => void): void {
    this.#silenceListeners.add(listener)
  }

  fallSilent(): void {
    for (const listener of this.#silenceListeners) listener()
  }

  hear(isHearing: boolean): void {
    for (const listener of this.#hearingListeners) listener(isHearing)
  }

  notify(word: string): void {
    const [first, ...ids] = word.split(' ')
    if (first === endedWord) for (const listener of this.#endListeners) listener(new Set(ids))
    if (first === changedWord) for (const listener of this.#changeListeners) listener()
  }
}
