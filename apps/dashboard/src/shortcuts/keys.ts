const storageKey = 'sluice:shortcuts'

/** Raised by whatever opens the search by a click. */
export const openFindEvent = 'sluice:find'

/** Where `g` and a letter lead. */
export const letters = {
  r: '/receipts',
  u: '/unmatched',
  p: '/products',
  t: '/terminal',
  s: '/split',
  d: '/developers',
} as const

/** Whether shortcuts of one character are heard. What has ⌘ or Ctrl always is. */
export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    return true
  }
}

/** Turns shortcuts of one character off, or on again, for this browser. */
export function setShortcutsOn(isOn: boolean): void {
  try {
    localStorage.setItem(storageKey, isOn ? 'on' : 'off')
  } catch {
    // Storage is full or forbidden: they stay as they are.
  }
}

/** Whether a dialog is open: it has keys of its own. */
export function isInDialog(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** Whether somebody is typing: what they type is no shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  )
}
