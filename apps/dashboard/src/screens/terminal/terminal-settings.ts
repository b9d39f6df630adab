import { useState } from 'react'
import { useRole } from '../../session/use-role.ts'
import type { TaxPreset } from './tax.ts'

/** Settings of a merchant's till, stored in this browser. */
export type TerminalSettings = {
  readonly currency: 'USD' | 'EUR'
  readonly hasSound: boolean
  /** Key of the last chosen tax, or `undefined` for no tax. */
  readonly taxKey: string | undefined
  readonly presets: readonly TaxPreset[]
}

const keyOf = (merchant: string) => `sluice.terminal.${merchant.toLowerCase()}`
const fresh: TerminalSettings = { currency: 'USD', hasSound: true, taxKey: undefined, presets: [] }

export function useTerminalSettings(): [TerminalSettings, (change: Partial<TerminalSettings>) => void] {
  const storageKey = keyOf(useRole().wallet)
  const [settings, setSettings] = useState(() => read(storageKey))
  const change = (change: Partial<TerminalSettings>) => {
    const next = { ...settings, ...change }
    setSettings(next)
    try {
      localStorage.setItem(storageKey, JSON.stringify(next))
    } catch {
      // Storage is full or blocked. The change lasts until the page is closed.
    }
  }
  return [settings, change]
}

function read(storageKey: string): TerminalSettings {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<TerminalSettings>
    return { ...fresh, ...kept, presets: Array.isArray(kept.presets) ? kept.presets : [] }
  } catch {
    return fresh
  }
}
