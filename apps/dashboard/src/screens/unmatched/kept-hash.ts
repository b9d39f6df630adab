const keyOf = (id: string) => `sluice:return:${id}`

/**
 * Transaction hashes of returns that the service has not recorded, so that closing the tab does not lose
 * them.
 */
export const keptHash = {
  keep(id: string, hash: string): void {
    try {
      localStorage.setItem(keyOf(id), hash)
    } catch {
      // Storage is full or blocked. The dialog still holds the hash.
    }
  },
  read(id: string): string {
    try {
      return localStorage.getItem(keyOf(id)) ?? ''
    } catch {
      return ''
    }
  },
  drop(id: string): void {
    try {
      localStorage.removeItem(keyOf(id))
    } catch {
      // The payment is decided, so its dialog does not open again.
    }
  },
}
