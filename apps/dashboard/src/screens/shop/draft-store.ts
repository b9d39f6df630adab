import { plainTheme, type ShopTheme } from './shop-config.ts'

/** What is kept of looks on this device: one that is not published, and the one that was published before. */
export type KeptLooks = { readonly draft?: ShopTheme | undefined; readonly previous?: ShopTheme | undefined }

const keyOf = (merchant: string) => `sluice.look.${merchant.toLowerCase()}`

/** The looks a merchant has kept here. */
export function readLooks(merchant: string): KeptLooks {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(merchant)) ?? '{}') as KeptLooks
    return { draft: whole(kept.draft), previous: whole(kept.previous) }
  } catch {
    return {}
  }
}

/** Keeps them; where nothing can be kept, they last until the page is closed. */
export function keepLooks(merchant: string, looks: KeptLooks): void {
  try {
    localStorage.setItem(keyOf(merchant), JSON.stringify(looks))
  } catch {
    // A browser that keeps nothing: the draft is in the form.
  }
}

/** Whether two looks are the same. */
export function isSame(a: ShopTheme, b: ShopTheme): boolean {
  return Object.keys(plainTheme).every((name) => a[name as keyof ShopTheme] === b[name as keyof ShopTheme])
}

function whole(theme: ShopTheme | undefined): ShopTheme | undefined {
  return theme && { ...plainTheme, ...theme }
}
