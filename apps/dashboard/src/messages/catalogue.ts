import type app from './en/app.json'
import type developers from './en/developers.json'
import type nav from './en/nav.json'
import type receipt from './en/receipt.json'
import type receipts from './en/receipts.json'
import type security from './en/security.json'
import type settings from './en/settings.json'
import type signIn from './en/sign-in.json'
import type split from './en/split.json'
import type status from './en/status.json'
import type team from './en/team.json'

/** The texts in English by part: each part is a file, and its keys begin with the part's name. */
type Parts = {
  app: typeof app
  developers: typeof developers
  nav: typeof nav
  receipt: typeof receipt
  receipts: typeof receipts
  security: typeof security
  settings: typeof settings
  'sign-in': typeof signIn
  split: typeof split
  status: typeof status
  team: typeof team
}

/** A part of the texts, loaded with the screens that need it. */
export type Part = keyof Parts

/** What a text is asked for by. */
export type TextKey = { [P in Part]: keyof Parts[P] }[Part]
