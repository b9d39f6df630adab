const keyOf = (id: string) => `sluice:return:${id}`

/** The transactions of returns that the service does not know yet: a closed tab must not forget what was sent. */
export const keptHash = {
  keep(id: string, hash: string): void {
    try {
      localStorage.setItem(keyOf(id), hash)
    } catch {
      // Storage is full or forbidden: the dialog itself still has it.
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
      // The payment is decided: its dialog does not open again.
    }
  },
}
