// SPDX-License-Identifier: Apache-2.0

/** What is signed by EIP-3009, whether for `TransferWithAuthorization` or for `ReceiveWithAuthorization`. */
export const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
