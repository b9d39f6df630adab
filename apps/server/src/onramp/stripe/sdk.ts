import { createRequire } from 'node:module'
import type Stripe from 'stripe'

const require = createRequire(import.meta.url)

/** Stripe's SDK, loaded when it is asked for: a service without Stripe goes without its two hundred files. */
export function loadStripe(): typeof Stripe {
  return require('stripe')
}
