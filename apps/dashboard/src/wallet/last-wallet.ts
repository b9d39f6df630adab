const key = 'sluice:wallet'

export function keepLastWallet(id: string): void {
  try {
    localStorage.setItem(key, id)
  } catch {
    // Storage is full or blocked. After a reload, an account change is not detected.
  }
}

export function readLastWallet(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}
