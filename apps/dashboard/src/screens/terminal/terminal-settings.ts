import { useState } from 'react'
import { useRole } from '../../session/use-role.ts'
import type { TaxPreset } from './tax.ts'

/** What a merchant's till keeps between two sales, on this device. */
export type TerminalSettings = {
  readonly currency: 'USD' | 'EUR'
  readonly hasSound: boolean
  /** The key of the tax that was chosen last; none: no tax. */
  readonly taxKey: string | undefined
  /** Taxes that were added on this device. */
  readonly presets: readonly TaxPreset[]
}

const keyOf = (merchant: string) => `sluice.terminal.${merchant.toLowerCase()}`
const fresh: TerminalSettings = { currency: 'USD', hasSound: true, taxKey: undefined, presets: [] }

/** The settings of this till, and how they change. */
export function useTerminalSettings(): [TerminalSettings, (change: Partial<TerminalSettings>) => void] {
  const storageKey = keyOf(useRole().wallet)
  const [settings, setSettings] = useState(() => read(storageKey))
  const change = (change: Partial<TerminalSettings>) => {
    const next = { ...settings, ...change }
    setSettings(next)
    try {
      localStorage.setItem(storageKey, JSON.stringify(next))
    } catch {
      // Where nothing can be kept, the choice lasts until the page is closed.
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
