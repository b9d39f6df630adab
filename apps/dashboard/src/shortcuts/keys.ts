const storageKey = 'sluice:shortcuts'

/** Window event that opens the search. */
export const openFindEvent = 'sluice:find'

/** Sections that the shortcut `g` plus a letter opens. */
export const letters = {
  r: '/receipts',
  u: '/unmatched',
  p: '/products',
  t: '/terminal',
  s: '/split',
  d: '/developers',
} as const

/** Returns whether single-key shortcuts are enabled. Shortcuts with ⌘ or Ctrl always work. */
export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    return true
  }
}

export function setShortcutsOn(isOn: boolean): void {
  try {
    localStorage.setItem(storageKey, isOn ? 'on' : 'off')
  } catch {
    // Storage is full or blocked. The setting does not change.
  }
}

export function isInDialog(): boolean {
  return document.querySelector('dialog[open]') !== null
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  )
}
