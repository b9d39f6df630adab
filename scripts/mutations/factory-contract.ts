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
