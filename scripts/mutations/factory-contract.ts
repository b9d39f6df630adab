import { breakContract } from './break-contract.ts'

/** What gas a sweep gives, and demands. */
export const splitFactoryMutations = breakContract('SplitFactory', 'unit/SweepGas', {
  READ_GAS: [
    ['a balance is read with a tenth less gas', '100_000', '90_000'],
    ['a balance is read with a tenth more gas', '100_000', '110_000'],
  ],
  MOVE_GAS: [
    ['money is moved with a tenth less gas', '300_000', '270_000'],
    ['money is moved with a tenth more gas', '300_000', '330_000'],
  ],
  ITEM_GAS: [
    ['an item may fail with a tenth less gas', '480_000', '432_000'],
    ['an item may fail with much less gas', '480_000', '350_000'],
    ['an item may not fail without a tenth more gas', '480_000', '528_000'],
  ],
  sweepMany: [
    [
      'an item that fails for want of gas is passed over',
      'if (!done && gasBefore < ITEM_GAS) revert TooLittleGas();',
      'done; gasBefore;',
    ],
  ],
})

const permit = 'try IERC20Permit(token).permit(owner, puller, amount, deadline, v, r, s) {} catch {}'
const payment = 'abi.encode(deposit, token, amount, deadline)'

/** Payments by permits: what binds them, and when they end. */
export const pullFactoryMutations = breakContract('PullFactory', 'unit/PullFactory', {
  pullWithPermit: [
    ['a payment never ends', 'if (block.timestamp > deadline) revert PullExpired(deadline);', ''],
    ['a payment ends a second early', 'block.timestamp > deadline', 'block.timestamp >= deadline'],
    ['a permit to a puller is not used', permit, ''],
    [
      'a permit that somebody used before stops the payment',
      permit,
      'IERC20Permit(token).permit(owner, puller, amount, deadline, v, r, s);',
    ],
    ['the money goes back to its owner', 'owner, deposit, amount);', 'owner, owner, amount);'],
    ['the money goes to who submits the permit', 'owner, deposit, amount);', 'owner, msg.sender, amount);'],
    ['the money is taken from who submits the permit', 'pull(token, owner,', 'pull(token, msg.sender,'],
  ],
  _puller: [
    ['a puller pays once only', 'if (puller.code.length == 0) LibClone', 'LibClone'],
    ['a puller is never made', 'puller.code.length == 0', 'puller.code.length == 1'],
  ],
  _salt: [
    ['a permit pays any deposit', payment, 'abi.encode(token, amount, deadline)'],
    ['a permit pays any token', payment, 'abi.encode(deposit, amount, deadline)'],
    ['a permit pays any amount', payment, 'abi.encode(deposit, token, deadline)'],
    ['a permit pays at any time', payment, 'abi.encode(deposit, token, amount)'],
  ],
})

const bound = 'abi.encode(PAYMENT_TYPEHASH, deposit)'

/** Payments through Permit2: what binds them. */
export const permit2Mutations = breakContract('PullFactory', 'unit/PullFactoryPermit2', {
  pullWithPermit2: [
    [
      'the money goes to who submits the signature',
      'Details(deposit, amount)',
      'Details(msg.sender, amount)',
    ],
    ['less is moved than was signed', 'Details(deposit, amount)', 'Details(deposit, amount - 1)'],
    ['the signature binds no deposit', bound, 'abi.encode(PAYMENT_TYPEHASH, msg.sender)'],
    ['who submits the signature pays', 'owner,\n            keccak256', 'msg.sender,\n            keccak256'],
    ['a payment through Permit2 never ends', 'amount), deadline', 'amount), type(uint256).max'],
  ],
  permit2Nonce: [
    ['every payment has one nonce', 'abi.encode(deposit, token, amount)', 'abi.encode(token)'],
    [
      'payments of two amounts have one nonce',
      'abi.encode(deposit, token, amount)',
      'abi.encode(deposit, token)',
      'fuzz/PullFactoryPermit2',
    ],
  ],
})

/** What stands behind an address that a payment is allowed to. */
export const pullerMutations = breakContract('Puller', 'unit/PullFactory', {
  pull: [
    ['anybody may use an allowance', 'if (msg.sender != FACTORY) revert OnlyFactory();', ''],
    ['a transfer that is refused counts as paid', 'safeTransferFrom', 'trySafeTransferFrom'],
  ],
})
