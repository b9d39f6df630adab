import { breakContract } from './break-contract.ts'

/** The ways to pay a split under a reference. */
export const splitPaymentsMutations = breakContract('SplitPayments', 'unit/Payments', {
  pay: [
    ['ETH stays with the implementation', '_onlySplit();', '', 'unit/KeptUnit'],
    ['nothing is a payment of ETH', 'if (msg.value == 0) revert NothingReceived();', ''],
    ['one wei is no payment', 'msg.value == 0', 'msg.value < 2'],
    ['a payment of ETH is not told', 'emit Payment(ref, address(0), msg.sender, msg.value);', 'ref;'],
    ['a payment of ETH is told under no reference', 'Payment(ref,', 'Payment(0,'],
    ['ETH is told to be a token', 'address(0), msg', 'address(this), msg'],
    ['ETH is told to come from who signed the transaction', 'msg.sender', 'tx.origin'],
    [
      'all the ETH that is there is told as paid',
      'msg.sender, msg.value',
      'msg.sender, address(this).balance',
    ],
  ],
  payToken: [
    ['a token may be paid inside a call', 'external lock', 'external', 'unit/PaymentLock'],
    ['a token is paid under no reference', 'amount, ref)', 'amount, 0)'],
  ],
  payWithPermit: [
    ['a permit may be paid inside a call', 'external lock', 'external', 'unit/PaymentLock'],
    [
      'a permit is not used',
      'try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}',
      '',
    ],
    [
      'a permit that fails stops the payment',
      'try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}',
      'IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s);',
    ],
    ['a permit is paid under no reference', 'amount, ref)', 'amount, 0)'],
  ],
  payWithAuthorization: [
    ['an authorization may be paid inside a call', 'external lock', 'external', 'unit/PaymentLock'],
    ['an authorization pays the implementation', '_onlySplit();', '', 'unit/KeptUnit'],
    ['the nonce binds no salt', 'keccak256(abi.encode(ref, salt))', 'keccak256(abi.encode(ref))'],
    ['the nonce binds no reference', 'keccak256(abi.encode(ref, salt))', 'keccak256(abi.encode(salt))'],
    ['the nonce is bound the other way round', '(ref, salt)', '(salt, ref)'],
    ['an authorization never begins late', 'value, validAfter,', 'value, 0,'],
    [
      'an authorization never ends',
      'validAfter, validBefore, keccak256',
      'validAfter, type(uint256).max, keccak256',
    ],
    [
      'an authorization counts what was there before',
      'uint256 before = _balanceOf(token);',
      'uint256 before = 0;',
    ],
    [
      'an authorization is told to come from the relayer',
      '_recordPayment(token, from,',
      '_recordPayment(token, msg.sender,',
    ],
    ['an authorization is told under no reference', 'value, ref, before', 'value, 0, before'],
  ],
  _payToken: [
    ['tokens stay with the implementation', '_onlySplit();', '', 'unit/KeptUnit'],
    ['what was there before counts as paid', 'uint256 before = _balanceOf(token);', 'uint256 before = 0;'],
    ['what is paid is not taken', '_take(token, amount);', ''],
    ['tokens are told to come from who signed the transaction', 'msg.sender', 'tx.origin'],
  ],
  _take: [
    ['another function of the token is called', '0x23b872dd', '0x23b872de'],
    ['tokens are taken from who signed the transaction', 'caller()', 'origin()'],
    ['tokens are taken for the caller', 'address())', 'caller())'],
    [
      'less is taken than asked',
      'mstore(add(input, 0x44), amount)',
      'mstore(add(input, 0x44), sub(amount, 1))',
    ],
    [
      'a revert of the token stops nothing',
      'if iszero(call(gas(), token, 0, input, 0x64, 0x00, 0x20)) {',
      'if lt(call(gas(), token, 0, input, 0x64, 0x00, 0x20), 0) {',
    ],
    ['the reason of the token is lost', 'revert(input, returndatasize())', 'revert(0, 0)'],
    ["the token's reason is not copied", 'returndatacopy(input, 0, returndatasize())', ''],
    ['any answer of the token is good', 'if (refused) revert TransferRefused();', 'refused;'],
    [
      'no answer is a refusal',
      'or(iszero(answer), and(gt(answer, 0x1f), eq(mload(0x00), 1)))',
      'and(gt(answer, 0x1f), eq(mload(0x00), 1))',
    ],
    [
      'only no answer is good',
      'or(iszero(answer), and(gt(answer, 0x1f), eq(mload(0x00), 1)))',
      'iszero(answer)',
      'unit/Hostility',
    ],
    [
      'a short answer is good',
      'and(gt(answer, 0x1f), eq(mload(0x00), 1))',
      'eq(mload(0x00), 1)',
      'unit/Hostility',
    ],
    ['an answer of 31 bytes is good', 'gt(answer, 0x1f)', 'gt(answer, 0x1e)', 'unit/Hostility'],
    ['an answer of one word is refused', 'gt(answer, 0x1f)', 'gt(answer, 0x20)', 'unit/Hostility'],
    ['an answer of 2 is true', 'eq(mload(0x00), 1)', 'gt(mload(0x00), 0)', 'unit/Hostility'],
  ],
  _recordPayment: [
    [
      'what fell to the split by another way is counted too',
      'if (arrived > asked) arrived = asked;',
      'asked;',
      'unit/PaymentLock',
    ],
    ['more than asked counts as nothing', 'arrived = asked;', 'arrived = 0;', 'unit/PaymentLock'],
    ['nothing is a payment of tokens', 'if (arrived == 0) revert NothingReceived();', ''],
    ['one unit is no payment', 'arrived == 0', 'arrived < 2'],
    ['what was asked counts, not what arrived', 'ref, token, payer, arrived', 'ref, token, payer, asked'],
    ['a payment of tokens is not told', 'emit Payment(ref, token, payer, arrived);', 'ref; payer;'],
  ],
})
