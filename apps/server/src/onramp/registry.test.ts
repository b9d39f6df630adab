import { pino } from 'pino'
import { expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { systemRandom } from '../kernel/random.ts'
import { readConfig } from '../platform/settings/config.ts'
import { openProviders } from './registry.ts'

const needs = {
  clock: systemClock,
  random: systemRandom,
  log: pino({ level: 'silent' }),
  outbound: { request: () => Promise.reject(new Error('nobody is asked at the start')) },
}
const masterKey = 'a master key of the tests, long enough'
const stripe = { STRIPE_SECRET_KEY: 'sk_test_aKeyOfNobody', STRIPE_WEBHOOK_SECRET: 'whsec_aSecretOfNobody' }
const onBase = { CHAIN_ID: '8453', RPC_URLS: 'https://rpc.example' }
const open = (env: Record<string, string>) => openProviders(needs, { ...readConfig(env), masterKey })

test('Stripe takes payments where its keys are given, unless it is turned off', () => {
  expect(open(onBase).current).toBeUndefined()
  expect(open({ ...onBase, ...stripe }).current?.name).toBe('stripe')
  const off = open({ ...onBase, ...stripe, ONRAMP_PROVIDER: 'none' })
  expect(off.current).toBeUndefined()
  expect(off.find('stripe')?.name).toBe('stripe')
})

test('on a network that Stripe does not deliver to it is not offered, and naming it stops the start', () => {
  const onTestnet = { ...onBase, ...stripe, CHAIN_ID: '84532' }
  expect(open(onTestnet).all).toEqual([])
  expect(() => open({ ...onTestnet, ONRAMP_PROVIDER: 'stripe' })).toThrow(
    'ONRAMP_PROVIDER is stripe, which does not deliver USDC on Base Sepolia',
  )
  expect(() => open({ ...stripe, ONRAMP_PROVIDER: 'stripe' })).toThrow('which does not deliver USDC on')
})

test('a provider that nobody set up stops the start', () => {
  expect(() => open({ ...onBase, ONRAMP_PROVIDER: 'moonpay' })).toThrow('a provider that is not configured')
})
