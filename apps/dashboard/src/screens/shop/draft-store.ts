import { plainTheme, type ShopTheme } from './shop-config.ts'

/** Shop themes stored in this browser: the unpublished draft, and the theme before the last publication. */
export type KeptLooks = { readonly draft?: ShopTheme | undefined; readonly previous?: ShopTheme | undefined }

const keyOf = (merchant: string) => `sluice.look.${merchant.toLowerCase()}`

export function readLooks(merchant: string): KeptLooks {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(merchant)) ?? '{}') as KeptLooks
    return { draft: whole(kept.draft), previous: whole(kept.previous) }
  } catch {
    return {}
  }
}

export function keepLooks(merchant: string, looks: KeptLooks): void {
  try {
    localStorage.setItem(keyOf(merchant), JSON.stringify(looks))
  } catch {
    // Storage is full or blocked. The form still holds the draft.
  }
}

export function isSame(a: ShopTheme, b: ShopTheme): boolean {
  return Object.keys(plainTheme).every((name) => a[name as keyof ShopTheme] === b[name as keyof ShopTheme])
}

function whole(theme: ShopTheme | undefined): ShopTheme | undefined {
  return theme && { ...plainTheme, ...theme }
}
