// SPDX-License-Identifier: Apache-2.0

/**
 * Gas of submitting one signed payment, by the token's signature method. Each figure is for the most
 * expensive case: an account's first payment, to an empty deposit address. `npm run gas` measures each and
 * fails if a figure is too low or far too high.
 */
export const relayGas = {
  authorization: 83_488,
  permit: 137_023,
  permit2: 95_753,
} as const
