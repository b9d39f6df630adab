const key = 'sluice:wallet'

/** Remembers the wallet that signed in, to notice when it shows another account. */
export function keepLastWallet(id: string): void {
  try {
    localStorage.setItem(key, id)
  } catch {
    // Storage is full or forbidden: then nothing is noticed after a reload.
  }
}

/** The wallet that signed in last in this browser. */
export function readLastWallet(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}
