// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {CloneLib} from "./CloneLib.sol";
import {SplitPayments} from "./SplitPayments.sol";

/// @title A merchant's split: takes payments under a reference and shares them out
/// @notice Compatible with OpenZeppelin's PaymentSplitter 4.9.6: functions, revert strings, rounding, and the
/// events of `release` and of plain ETH. What it adds: `distribute`, which pays everybody at once and which no
/// payee can stop, and payments that carry a reference. Payees and shares never change; there is no owner, no
/// upgrade, no pause.
///
/// Events. `distribute` emits one `Distributed`, and no `PaymentReleased` for each payee as a `release` does:
/// that would cost 1,370 gas a payee in ETH and 1,745 in a token. Whoever adds up `PaymentReleased` alone misses distributions; what
/// each got follows from `Distributed` and `PushFailed`, and `released` says it at any block. Payees are not
/// announced by `PayeeAdded`; `recipients()` names them.
///
/// Bookkeeping is in `SplitBooks`, paying in `SplitPayments`, payees in `SplitRows`.
///
/// Rounding. Each payee's part is rounded down. What is left, less than one base unit a payee, stays and
/// counts towards the next distribution. Where nothing of a token would be left, one base unit of the last
/// payee's part is kept for the next distribution, or for its `release` (`SplitBooks` says why).
///
/// Limits. A token's units ever received must stay below 2^120, or its distributions revert. Views called
/// from inside a payee's `receive` may see a distribution half done: read at a block, not inside a call.
/// @dev Runs by delegation from the clones of `CloneLib.splitInitCode`, which answer plain ETH themselves.
contract MerchantSplit is SplitPayments {
    /// @dev Gas a payee's `receive` gets in a distribution, and a token's `transfer`.
    uint256 private constant ETH_PUSH_GAS = 60_000;
    uint256 private constant TOKEN_PUSH_GAS = 150_000;
    /// @dev A push that fails with less than this left may have failed for want of gas: 64/63 of the above,
    /// and the most that a call with value to a new account costs by itself.
    uint256 private constant ETH_PUSH_NEEDS = 100_000;
    uint256 private constant TOKEN_PUSH_NEEDS = 160_000;

    address private immutable FACTORY = msg.sender;

    /// @notice Of everything ever received, `totalReceived`, every payee has now been released
    /// `floor(totalReceived * shares / totalShares)`, but for what `PushFailed` says is held, and but for one
    /// base unit of the last payee's where `isUnitKept`.
    event Distributed(address indexed token, uint256 totalReceived, bool isUnitKept);
    /// @notice `account` could not be paid. `amount` is all that is now held for it; `release` and every later
    /// distribution try again.
    event PushFailed(address indexed token, address indexed account, uint256 amount);

    /// @notice A payee's push failed, and too little gas was left to tell a bad payee from a mean caller.
    error TooLittleGas();

    /// @notice Plain ETH arrived. Emitted by the clone's head.
    event PaymentReceived(address from, uint256 amount);
    /// @notice `to` was released `amount` wei by `release`.
    event PaymentReleased(address to, uint256 amount);
    /// @notice `to` was released `amount` base units of `token` by `release`.
    event ERC20PaymentReleased(IERC20 indexed token, address to, uint256 amount);

    /// @notice Pays every payee what it is due of `token`. Anyone may call it; when nothing is due it does
    /// nothing. A payee that refuses is passed over: its part is held for it, and the others are paid.
    /// Reverts with `TooLittleGas` rather than hold a part that more gas might have delivered.
    /// @param token Token contract, or the zero address for ETH.
    function distribute(address token) external lock {
        uint256 book = _books[token];
        uint256 received = _held(token) + _releasedOf(book);
        if (received == _levelOf(book) && _offsetsOf(book) == 0) return;
        if (received > MAX_UNITS) revert TooMuchReceived(received);
        book = _payAll(token, book, received);
        _books[token] = book;
        emit Distributed(token, received, _keptOf(book) == 1);
    }

    /// @notice Pays `account` the ETH it is due.
    function release(address payable account) external lock {
        uint256 payment = _release(address(0), account);
        Address.sendValue(account, payment);
        emit PaymentReleased(account, payment);
    }

    /// @notice Pays `account` what it is due of `token`.
    function release(IERC20 token, address account) external lock {
        uint256 payment = _release(_nonZero(token), account);
        SafeERC20.safeTransfer(token, account, payment);
        emit ERC20PaymentReleased(token, account, payment);
    }

    /// @notice The factory that made this split.
    function factory() external view returns (address) {
        return FACTORY;
    }

    /// @dev Pays each row what it is due now that `received` came in ever, and returns the token's new book.
    function _payAll(address token, uint256 book, uint256 received) private returns (uint256 next) {
        (uint256 row, uint256 last, uint256 all) = _rows();
        next = book & BELOW_LEVEL & ~KEPT;
        uint256 before;
        // Nothing overflows: units are below 2^120, shares below 2^16.
        unchecked {
            last -= CloneLib.ROW_SIZE;
            while (row < last) {
                address account;
                uint256 share;
                assembly ("memory-safe") {
                    share := mload(row)
                    account := shr(96, share)
                    share := and(shr(80, share), 0xffff)
                    row := add(row, 22) // CloneLib.ROW_SIZE
                    let running := share
                    share := sub(share, before)
                    before := running
                }
                int256 due = int256(received * share / all) - int256(_levelOf(book) * share / all);
                int256 offset = _offsetsOf(book) == 0 ? int256(0) : _offsets[token][account];
                due -= offset;
                if (due > 0 && _push(token, account, uint256(due))) {
                    next += uint256(due) << 16;
                    due = 0;
                }
                if (due != 0 || offset != 0) next = _carry(token, account, due, offset, next);
            }
        }
        (address lastAccount, uint256 running) = _row(last);
        next = _payLast(token, lastAccount, book, received, running - before, all, next);
        if (next > BELOW_LEVEL) revert TooMuchReceived(received);
        next |= received << 136;
    }

    /// @dev As the loop above does, but for the unit that is kept where this would empty the split.
    function _payLast(
        address token,
        address account,
        uint256 book,
        uint256 received,
        uint256 share,
        uint256 all,
        uint256 next
    ) private returns (uint256) {
        unchecked {
            int256 offset = _offsetsOf(book) == 0 ? int256(0) : _offsets[token][account];
            int256 due = int256(received * share / all) - int256(_releasedTo(book, offset, share, all));
            due += int256(_keptOf(book));
            uint256 keep = _isAllThereIs(token, due, offset, received, next) ? 1 : 0;
            if (due > 0 && (uint256(due) == keep || _push(token, account, uint256(due) - keep))) {
                next += ((uint256(due) - keep) << 16) + keep * KEPT;
                due = 0;
            }
            if (due != 0 || offset != 0) next = _carry(token, account, due, offset, next);
        }
        return next;
    }

    /// @dev Whether paying the last payee `due` leaves nothing of a token: then everybody has its exact part.
    /// @param next The book after everybody else was paid.
    function _isAllThereIs(address token, int256 due, int256 offset, uint256 received, uint256 next)
        private
        pure
        returns (bool)
    {
        unchecked {
            if (token == address(0) || due < 1) return false;
            // What others are held, or released too much, stays for them: they have an offset.
            if (_offsetsOf(next) != (offset == 0 ? 0 : 1)) return false;
            return _releasedOf(next) + uint256(due) == received;
        }
    }

    /// @dev Keeps what `account` was released as it was under the new level: an offset of `-due`. `due` is
    /// negative only when a token took money back, and zero when an old offset has been made good.
    function _carry(address token, address account, int256 due, int256 offset, uint256 book)
        private
        returns (uint256)
    {
        if (due > 0) emit PushFailed(token, account, uint256(due));
        if (-due != offset) _offsets[token][account] = -due;
        if (offset == 0) return book + 1;
        return due == 0 ? book - 1 : book;
    }

    /// @dev Sends without ever reverting for the payee's or the token's sake, and copies one word at most of
    /// what they answer. Reverts when a failure may be due to the caller's having sent too little gas.
    function _push(address token, address account, uint256 amount) private returns (bool done) {
        uint256 gasBefore = gasleft();
        if (token == address(0)) {
            assembly ("memory-safe") {
                done := call(ETH_PUSH_GAS, account, amount, 0, 0, 0, 0)
            }
            if (!done && gasBefore < ETH_PUSH_NEEDS) revert TooLittleGas();
        } else {
            assembly ("memory-safe") {
                let input := mload(0x40)
                mstore(input, shl(224, 0xa9059cbb)) // transfer(address,uint256)
                mstore(add(input, 0x04), account)
                mstore(add(input, 0x24), amount)
                done := call(TOKEN_PUSH_GAS, token, 0, input, 0x44, 0x00, 0x20)
                // A token answers true or, as old ones do, nothing. That it has code is known: it answered
                // `balanceOf`.
                let answer := returndatasize()
                done := and(done, or(iszero(answer), and(gt(answer, 0x1f), eq(mload(0x00), 1))))
            }
            if (!done && gasBefore < TOKEN_PUSH_NEEDS) revert TooLittleGas();
        }
    }

    /// @dev Counts all that `account` is due as released, and returns it. The caller sends it.
    function _release(address token, address account) private returns (uint256 payment) {
        (uint256 share, uint256 all, bool isLast) = _share(account);
        require(share > 0, "PaymentSplitter: account has no shares");
        uint256 book = _books[token];
        int256 offset = _offsetOf(token, account, book, isLast);
        payment = _due(_held(token), book, offset, share, all);
        require(payment != 0, "PaymentSplitter: account is not due payment");

        uint256 releasedNow = _releasedOf(book) + payment;
        if (releasedNow > MAX_UNITS) revert TooMuchReceived(releasedNow);
        unchecked {
            int256 offsetNow = offset + int256(payment);
            bool hadOffset = _offsets[token][account] != 0;
            _offsets[token][account] = offsetNow;
            if (isLast) book &= ~KEPT;
            book += payment << 16;
            if (!hadOffset && offsetNow != 0) ++book;
            else if (hadOffset && offsetNow == 0) --book;
        }
        _books[token] = book;
    }
}
