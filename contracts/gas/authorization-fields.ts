// SPDX-License-Identifier: Apache-2.0

/**
 * Signed fields of EIP-3009, which are the same in `TransferWithAuthorization` and
 * `ReceiveWithAuthorization`.
 */
export const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
