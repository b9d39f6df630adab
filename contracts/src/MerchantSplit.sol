// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {CloneLib} from "./CloneLib.sol";

/// @dev The part of EIP-3009 a split calls, in the overload that also takes smart accounts' signatures.
interface IERC3009 {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external;
}

/// @title A merchant's split: takes payments under a reference and shares them out
/// @notice Compatible with OpenZeppelin's PaymentSplitter 4.9.6 (functions, events, revert strings, rounding).
/// What it adds: `distribute`, which pays everybody at once and which no payee can stop, and payments that
/// carry a reference. Payees and shares never change; there is no owner, no upgrade, no pause.
///
/// Bookkeeping. Per token one storage slot keeps the *level*, everything ever received when it was last
/// distributed, and everything ever released. A payee has been released
/// `floor(level * shares / totalShares) + offset`, its offset being zero but for what it released by itself
/// since (above) or what is held for it (below). So a distribution in which nothing fails writes one slot,
/// however many payees there are, and the figures equal OpenZeppelin's after every operation.
///
/// Rounding. Each payee's part is rounded down. What is left, less than one base unit a payee, stays and
/// counts towards the next distribution.
///
/// Limits. A token's units ever received must stay below 2^120, or its distributions revert. Views called
/// from inside a payee's `receive` may see a distribution half done: read at a block, not inside a call.
/// @dev Runs by delegation from the clones of `CloneLib.splitInitCode`, which answer plain ETH themselves.
contract MerchantSplit {
    /// @dev Gas a payee's `receive` gets in a distribution, and a token's `transfer`.
    uint256 private constant ETH_PUSH_GAS = 60_000;
    uint256 private constant TOKEN_PUSH_GAS = 150_000;
    /// @dev A push that fails with less than this left may have failed for want of gas: 64/63 of the above,
    /// and the most that a call with value to a new account costs by itself.
    uint256 private constant ETH_PUSH_NEEDS = 100_000;
    uint256 private constant TOKEN_PUSH_NEEDS = 160_000;

    /// @dev Most base units of a token that can be counted as received.
    uint256 private constant MAX_UNITS = type(uint120).max;

    /// @dev The low 136 bits of a book.
    uint256 private constant RELEASED_AND_OFFSETS = (1 << 136) - 1;

    address private immutable FACTORY = msg.sender;

    /// @dev One slot per token, ETH being the zero address: level (120 bits) | released (120 bits) | how many
    /// payees have an offset (16 bits), so that a distribution need not read offsets when there is none.
    mapping(address token => uint256 book) private _books;
    mapping(address token => mapping(address account => int256)) private _offsets;
    bool private transient _locked;

    /// @notice Plain ETH arrived. Emitted by the clone's head.
    event PaymentReceived(address from, uint256 amount);
    /// @notice `to` was released `amount` wei by `release`.
    event PaymentReleased(address to, uint256 amount);
    /// @notice `to` was released `amount` base units of `token` by `release`.
    event ERC20PaymentReleased(IERC20 indexed token, address to, uint256 amount);

    /// @notice A payment under a reference arrived: `amount` base units of `token` (zero address: wei).
    event Payment(bytes32 indexed receiptRef, address indexed token, address indexed payer, uint256 amount);
    /// @notice Of everything ever received, `totalReceived`, every payee has now been released
    /// `floor(totalReceived * shares / totalShares)`, but for what `PushFailed` says is held.
    event Distributed(address indexed token, uint256 totalReceived);
    /// @notice `account` could not be paid. `amount` is all that is now held for it; `release` and every later
    /// distribution try again.
    event PushFailed(address indexed token, address indexed account, uint256 amount);

    /// @notice The split is in the middle of another call.
    error Reentered();
    /// @notice A payment brought nothing.
    error NothingReceived();
    /// @notice The token answered a transfer to the split with something else than true.
    error TransferRefused();
    /// @notice `token` does not answer `balanceOf` as a token does.
    error NotAToken(address token);
    /// @notice More of this token was received than can be counted.
    error TooMuchReceived(uint256 received);
    /// @notice A payee's push failed, and too little gas was left to tell a bad payee from a mean caller.
    error TooLittleGas();

    modifier lock() {
        if (_locked) revert Reentered();
        _locked = true;
        _;
        _locked = false;
    }

    // Paying

    /// @notice Pays the ETH sent, under `ref`.
    /// @param ref The payment attempt's reference: 32 random bytes.
    function pay(bytes32 ref) external payable {
        if (msg.value == 0) revert NothingReceived();
        emit Payment(ref, address(0), msg.sender, msg.value);
    }

    /// @notice Pays `amount` base units of `token` out of the caller's allowance, under `ref`.
    function payToken(address token, uint256 amount, bytes32 ref) external lock {
        _payToken(token, amount, ref);
    }

    /// @notice As `payToken`, with the allowance given by the caller's EIP-2612 signature in the same call.
    /// @dev A permit that fails is no reason to stop: somebody may have used it first, and then the allowance
    /// stands. `transferFrom` decides.
    function payWithPermit(
        address token,
        uint256 amount,
        bytes32 ref,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external lock {
        try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        _payToken(token, amount, ref);
    }

    /// @notice Pays `value` base units of `token` out of `from`'s balance by its EIP-3009 signature, under
    /// `ref`. Anyone may submit it and pays the gas; only this contract can use the signature.
    /// @dev The nonce signed is `keccak256(abi.encode(ref, salt))`: whoever submits it cannot choose another
    /// reference. `salt` lets one payer pay one reference twice.
    /// @param validAfter Unix seconds, exclusive.
    /// @param validBefore Unix seconds, exclusive.
    function payWithAuthorization(
        address token,
        address from,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 ref,
        bytes32 salt,
        bytes calldata signature
    ) external lock {
        uint256 before = _balanceOf(token);
        IERC3009(token).receiveWithAuthorization(
            from, address(this), value, validAfter, validBefore, keccak256(abi.encode(ref, salt)), signature
        );
        _recordPayment(token, from, value, ref, before);
    }

    // Sharing out

    /// @notice Pays every payee what it is due of `token`. Anyone may call it; when nothing is due it does
    /// nothing. A payee that refuses is passed over: its part is held for it, and the others are paid.
    /// Reverts with `TooLittleGas` rather than hold a part that more gas might have delivered.
    /// @param token Token contract, or the zero address for ETH.
    function distribute(address token) external lock {
        uint256 book = _books[token];
        uint256 received = _held(token) + _releasedOf(book);
        if (received == _levelOf(book) && _offsetsOf(book) == 0) return;
        if (received > MAX_UNITS) revert TooMuchReceived(received);
        _books[token] = _payAll(token, book, received);
        emit Distributed(token, received);
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

    // Reading

    /// @notice The sum of all shares: 10,000 in a split of our factory.
    function totalShares() external view returns (uint256 total) {
        (,, total) = _rows();
    }

    /// @notice The shares of `account`; zero when it is no payee.
    function shares(address account) external view returns (uint256 share) {
        (share,) = _share(account);
    }

    /// @notice The payee at `index`, in the order given to the factory.
    function payee(uint256 index) external view returns (address) {
        (address[] memory accounts,) = recipients();
        return accounts[index];
    }

    /// @notice How many payees there are.
    function payeeCount() external view returns (uint256) {
        (uint256 row, uint256 end,) = _rows();
        return (end - row) / CloneLib.ROW_SIZE;
    }

    /// @notice All payees and their shares, in the order given to the factory.
    function recipients() public view returns (address[] memory accounts, uint32[] memory shares_) {
        (uint256 row, uint256 end,) = _rows();
        uint256 count = (end - row) / CloneLib.ROW_SIZE;
        accounts = new address[](count);
        shares_ = new uint32[](count);
        uint256 before;
        for (uint256 i; i < count; ++i) {
            (address account, uint256 running) = _row(row);
            accounts[i] = account;
            shares_[i] = uint32(running - before);
            before = running;
            row += CloneLib.ROW_SIZE;
        }
    }

    /// @notice The factory that made this split.
    function factory() external view returns (address) {
        return FACTORY;
    }

    /// @notice Wei ever released, to all payees.
    function totalReleased() external view returns (uint256) {
        return _releasedOf(_books[address(0)]);
    }

    /// @notice Base units of `token` ever released, to all payees. The zero address gives wei.
    function totalReleased(IERC20 token) external view returns (uint256) {
        return _releasedOf(_books[address(token)]);
    }

    /// @notice Wei ever released to `account`.
    function released(address account) external view returns (uint256) {
        return _released(address(0), account);
    }

    /// @notice Base units of `token` ever released to `account`. The zero address gives wei.
    function released(IERC20 token, address account) external view returns (uint256) {
        return _released(address(token), account);
    }

    /// @notice Wei `account` can be released now.
    function releasable(address account) external view returns (uint256) {
        return _releasable(address(0), account);
    }

    /// @notice Base units of `token` that `account` can be released now. The zero address is no token here.
    function releasable(IERC20 token, address account) external view returns (uint256) {
        return _releasable(_nonZero(token), account);
    }

    // Inside

    function _payToken(address token, uint256 amount, bytes32 ref) private {
        uint256 before = _balanceOf(token);
        _take(token, amount);
        _recordPayment(token, msg.sender, amount, ref, before);
    }

    /// @dev `SafeERC20.safeTransferFrom` of the caller's tokens, at half its gas: a revert is handed on, an
    /// answer must be true or nothing. That there is code is known: it answered `balanceOf`.
    function _take(address token, uint256 amount) private {
        bool refused;
        assembly ("memory-safe") {
            let input := mload(0x40)
            mstore(input, shl(224, 0x23b872dd)) // transferFrom(address,address,uint256)
            mstore(add(input, 0x04), caller())
            mstore(add(input, 0x24), address())
            mstore(add(input, 0x44), amount)
            if iszero(call(gas(), token, 0, input, 0x64, 0x00, 0x20)) {
                returndatacopy(input, 0, returndatasize())
                revert(input, returndatasize())
            }
            let answer := returndatasize()
            refused := iszero(or(iszero(answer), and(gt(answer, 0x1f), eq(mload(0x00), 1))))
        }
        if (refused) revert TransferRefused();
    }

    /// @dev Counts what arrived: less than `asked` from a token that takes a fee, never more. What else came
    /// in during the call (a deposit swept from inside a token's hook) was paid under another reference.
    function _recordPayment(address token, address payer, uint256 asked, bytes32 ref, uint256 before) private {
        uint256 arrived = _balanceOf(token) - before;
        if (arrived > asked) arrived = asked;
        if (arrived == 0) revert NothingReceived();
        emit Payment(ref, token, payer, arrived);
    }

    /// @dev Pays each row what it is due now that `received` came in ever, and returns the token's new book.
    function _payAll(address token, uint256 book, uint256 received) private returns (uint256 next) {
        (uint256 row, uint256 end, uint256 all) = _rows();
        next = book & RELEASED_AND_OFFSETS;
        uint256 before;
        // Nothing overflows: units are below 2^120, shares below 2^16.
        unchecked {
            while (row < end) {
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
        if (next > RELEASED_AND_OFFSETS) revert TooMuchReceived(received);
        next |= received << 136;
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
        (uint256 share, uint256 all) = _share(account);
        require(share > 0, "PaymentSplitter: account has no shares");
        uint256 book = _books[token];
        int256 offset = _offsets[token][account];
        payment = _due(_held(token), book, offset, share, all);
        require(payment != 0, "PaymentSplitter: account is not due payment");

        uint256 releasedNow = _releasedOf(book) + payment;
        if (releasedNow > MAX_UNITS) revert TooMuchReceived(releasedNow);
        unchecked {
            int256 offsetNow = offset + int256(payment);
            _offsets[token][account] = offsetNow;
            book += payment << 16;
            if (offset == 0) ++book;
            else if (offsetNow == 0) --book;
        }
        _books[token] = book;
    }

    /// @dev OpenZeppelin's `_pendingPayment`, with `balance` held now. Reverts, as there, when a token took
    /// back more than the payee has to come.
    function _due(uint256 balance, uint256 book, int256 offset, uint256 share, uint256 all)
        private
        pure
        returns (uint256)
    {
        uint256 received = balance + _releasedOf(book);
        return received * share / all - _releasedTo(book, offset, share, all);
    }

    /// @dev What a payee with this share was ever released. Never negative.
    function _releasedTo(uint256 book, int256 offset, uint256 share, uint256 all) private pure returns (uint256) {
        unchecked {
            return uint256(int256(_levelOf(book) * share / all) + offset);
        }
    }

    function _releasable(address token, address account) private view returns (uint256) {
        (uint256 share, uint256 all) = _share(account);
        return _due(_held(token), _books[token], _offsets[token][account], share, all);
    }

    function _released(address token, address account) private view returns (uint256) {
        (uint256 share, uint256 all) = _share(account);
        return _releasedTo(_books[token], _offsets[token][account], share, all);
    }

    /// @dev The shares of `account`, zero when it is no payee, and of all.
    function _share(address account) private view returns (uint256 share, uint256 all) {
        uint256 row;
        uint256 end;
        (row, end, all) = _rows();
        uint256 before;
        unchecked {
            while (row < end) {
                (address other, uint256 running) = _row(row);
                if (other == account) return (running - before, all);
                before = running;
                row += CloneLib.ROW_SIZE;
            }
        }
    }

    /// @dev What the split holds of `token`, or of ETH.
    function _held(address token) private view returns (uint256) {
        return token == address(0) ? address(this).balance : _balanceOf(token);
    }

    /// @dev Keeps the functions for tokens off the books of ETH, whose key is the zero address.
    function _nonZero(IERC20 token) private pure returns (address) {
        if (address(token) == address(0)) revert NotAToken(address(0));
        return address(token);
    }

    function _balanceOf(address token) private view returns (uint256 amount) {
        bool ok;
        assembly ("memory-safe") {
            mstore(0x00, shl(224, 0x70a08231)) // balanceOf(address)
            mstore(0x04, address())
            ok := staticcall(gas(), token, 0x00, 0x24, 0x00, 0x20)
            ok := and(ok, gt(returndatasize(), 0x1f))
            amount := mload(0x00)
        }
        if (!ok) revert NotAToken(token);
    }

    /// @dev Copies the clone's rows from its code to memory: first row, end, and the total of shares.
    function _rows() private view returns (uint256 row, uint256 end, uint256 all) {
        uint256 rowsAt = CloneLib.ROWS_AT;
        assembly ("memory-safe") {
            let size := sub(extcodesize(address()), rowsAt)
            row := mload(0x40)
            end := add(row, size)
            mstore(0x40, and(add(end, 0x3f), not(0x1f)))
            extcodecopy(address(), row, rowsAt, size)
            all := and(mload(sub(end, 0x20)), 0xffff)
        }
    }

    function _row(uint256 row) private pure returns (address account, uint256 running) {
        assembly ("memory-safe") {
            let word := mload(row)
            account := shr(96, word)
            running := and(shr(80, word), 0xffff)
        }
    }

    function _levelOf(uint256 book) private pure returns (uint256) {
        return book >> 136;
    }

    function _releasedOf(uint256 book) private pure returns (uint256) {
        return (book & RELEASED_AND_OFFSETS) >> 16;
    }

    function _offsetsOf(uint256 book) private pure returns (uint256) {
        return book & 0xffff;
    }
}
