// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {CloneLib} from "./CloneLib.sol";
import {Deposit} from "./Deposit.sol";
import {MerchantSplit} from "./MerchantSplit.sol";

/// @title Makes splits and deposit addresses, and sweeps the latter into the former
/// @notice Every address is known before anything stands there, and binds what it is for: a split's address
/// its recipients and shares, a deposit's address its split and reference. So anyone may call any function
/// here; the most a stranger can do is pay the gas. There is no owner, no upgrade, no pause.
contract SplitFactory {
    /// @notice One deposit to sweep.
    /// @param split The split the deposit address was made for.
    /// @param ref The payment attempt's reference.
    /// @param token Token contract, or the zero address for ETH.
    struct Sweep {
        address split;
        bytes32 ref;
        address token;
    }

    /// @dev Shares of a split add up to this.
    uint256 private constant BASIS = 10_000;
    /// @dev Gas for reading a balance and for moving it. An honest token needs a third of this at most.
    uint256 private constant READ_GAS = 100_000;
    uint256 private constant MOVE_GAS = 300_000;
    /// @dev An item that fails with less than this left may have failed for want of gas: 64/63 of both, and
    /// the creation of the clone.
    uint256 private constant ITEM_GAS = 480_000;

    address private immutable SPLIT_IMPLEMENTATION;
    address private immutable DEPOSIT_IMPLEMENTATION;
    bytes32 private immutable DEPOSIT_CODE_HASH;

    /// @notice A split was made. Its recipients are in `MerchantSplit.recipients()`.
    event SplitCreated(address indexed split, bytes32 indexed salt);

    /// @notice `amount` base units left `deposit` for `split`.
    event DepositSwept(
        bytes32 indexed ref, address indexed split, address indexed token, address deposit, uint256 amount
    );

    /// @notice The shares do not add up to 10,000 basis points.
    error SharesMismatch(uint256 total);
    /// @notice The split could not be created: too little gas.
    error CreationFailed();
    /// @notice The deposit's money could not be moved: the token refused it.
    error SweepFailed(address split, bytes32 ref, address token);
    /// @notice An item failed, and too little gas was left to tell a bad token from a mean caller.
    error TooLittleGas();

    constructor() {
        SPLIT_IMPLEMENTATION = address(new MerchantSplit());
        DEPOSIT_IMPLEMENTATION = address(new Deposit());
        DEPOSIT_CODE_HASH = keccak256(CloneLib.depositInitCode(DEPOSIT_IMPLEMENTATION));
    }

    /// @notice Makes the split of these recipients, or finds it when it exists: safe to repeat.
    /// @param recipients 1 to 100, each once, in any order; ascending order costs least.
    /// @param bps Share of each, in basis points: at least 1, together 10,000.
    /// @param salt Tells apart splits with equal recipients and shares.
    /// @return split Its address, the same that `predictSplit` gives.
    function createSplit(address[] calldata recipients, uint32[] calldata bps, bytes32 salt)
        external
        returns (address split)
    {
        bytes memory code = _splitCode(recipients, bps);
        split = CloneLib.predict(address(this), salt, keccak256(code));
        if (split.code.length == 0) {
            if (CloneLib.create(code, salt) == address(0)) revert CreationFailed();
            emit SplitCreated(split, salt);
        }
    }

    /// @notice The address `createSplit` gives for the same arguments, whether the split exists or not.
    function predictSplit(address[] calldata recipients, uint32[] calldata bps, bytes32 salt)
        external
        view
        returns (address)
    {
        return CloneLib.predict(address(this), salt, keccak256(_splitCode(recipients, bps)));
    }

    /// @notice The contract all splits delegate to.
    function splitImplementation() external view returns (address) {
        return SPLIT_IMPLEMENTATION;
    }

    /// @notice The contract all deposit addresses delegate to once they have code.
    function depositImplementation() external view returns (address) {
        return DEPOSIT_IMPLEMENTATION;
    }

    /// @notice Where a buyer may send anything that is to reach `split` under `ref`.
    /// @dev Has no code until its first sweep, so sending plain ETH there costs 21,000 gas.
    function depositAddress(address split, bytes32 ref) external view returns (address) {
        return CloneLib.predict(address(this), _depositSalt(split, ref), DEPOSIT_CODE_HASH);
    }

    /// @notice Moves all of `token` from a deposit address to its split. Works again when more arrives.
    /// @param token Token contract, or the zero address for ETH.
    /// @return amount Base units moved; zero when there was nothing, which is not an error.
    function sweep(address split, bytes32 ref, address token) external returns (uint256 amount) {
        bool done;
        (done, amount) = _sweep(CloneLib.depositInitCode(DEPOSIT_IMPLEMENTATION), split, ref, token);
        if (!done) revert SweepFailed(split, ref, token);
    }

    /// @notice Sweeps many deposits. An item that is empty or fails leaves no event and stops no other.
    function sweepMany(Sweep[] calldata sweeps) external {
        bytes memory initCode = CloneLib.depositInitCode(DEPOSIT_IMPLEMENTATION);
        unchecked {
            for (uint256 i; i < sweeps.length; ++i) {
                (address split, bytes32 ref, address token) = _item(sweeps, i);
                uint256 gasBefore = gasleft();
                (bool done,) = _sweep(initCode, split, ref, token);
                if (!done && gasBefore < ITEM_GAS) revert TooLittleGas();
            }
        }
    }

    /// @dev `sweeps[index]`, which the decoder has shown to lie inside the calldata; bits above an address are
    /// dropped. A quarter of the plain expression's gas.
    function _item(Sweep[] calldata sweeps, uint256 index)
        private
        pure
        returns (address split, bytes32 ref, address token)
    {
        assembly ("memory-safe") {
            let item := add(sweeps.offset, mul(index, 0x60))
            split := shr(96, shl(96, calldataload(item)))
            ref := calldataload(add(item, 0x20))
            token := shr(96, shl(96, calldataload(add(item, 0x40))))
        }
    }

    /// @dev `done` is false when the money is there, or may be, and could not be moved.
    function _sweep(bytes memory initCode, address split, bytes32 ref, address token)
        private
        returns (bool done, uint256 amount)
    {
        bytes32 salt = _depositSalt(split, ref);
        address deposit = CloneLib.predict(address(this), salt, DEPOSIT_CODE_HASH);
        if (token == address(0)) {
            amount = deposit.balance;
        } else {
            (done, amount) = _balanceOf(token, deposit);
            if (!done) return (false, 0);
        }
        if (amount == 0) return (true, 0);
        if (deposit.code.length == 0) {
            if (CloneLib.create(initCode, salt) == address(0)) revert TooLittleGas();
        }
        done = _move(deposit, token, split, amount);
        if (done) emit DepositSwept(ref, split, token, deposit, amount);
    }

    /// @dev The balance, or `false` when `token` does not answer as a token does. Copies one word at most.
    function _balanceOf(address token, address owner) private view returns (bool ok, uint256 amount) {
        assembly ("memory-safe") {
            mstore(0x14, owner)
            mstore(0x00, shl(96, 0x70a08231)) // balanceOf(address)
            ok := staticcall(READ_GAS, token, 0x10, 0x24, 0x00, 0x20)
            ok := and(ok, gt(returndatasize(), 0x1f))
            amount := mul(ok, mload(0x00))
        }
    }

    /// @dev Calls `Deposit.sweep` through the clone, which answers 1 or 0 and never reverts.
    function _move(address deposit, address token, address split, uint256 amount) private returns (bool done) {
        bytes4 selector = Deposit.sweep.selector;
        assembly ("memory-safe") {
            let input := mload(0x40)
            mstore(input, selector)
            mstore(add(input, 0x04), token)
            mstore(add(input, 0x24), split)
            mstore(add(input, 0x44), amount)
            mstore(0x00, 0)
            done := call(MOVE_GAS, deposit, 0, input, 0x64, 0x00, 0x20)
            done := and(done, eq(mload(0x00), 1))
        }
    }

    function _splitCode(address[] calldata recipients, uint32[] calldata bps)
        private
        view
        returns (bytes memory code)
    {
        uint256 total;
        (code, total) = CloneLib.splitInitCode(SPLIT_IMPLEMENTATION, recipients, bps);
        if (total != BASIS) revert SharesMismatch(total);
    }

    function _depositSalt(address split, bytes32 ref) private pure returns (bytes32 salt) {
        assembly ("memory-safe") {
            mstore(0x00, split)
            mstore(0x20, ref)
            salt := keccak256(0x00, 0x40)
        }
    }
}
