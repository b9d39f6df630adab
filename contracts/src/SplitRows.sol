// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {CloneLib} from "./CloneLib.sol";

/// @title The payees of a split and their shares
/// @notice Fixed when the split was made and part of its code: reading them costs no storage.
/// @dev Runs by delegation from the clones of `CloneLib.splitInitCode`, whose code ends in the rows.
abstract contract SplitRows {
    /// @dev Where this code stands; a split is elsewhere.
    address private immutable IMPLEMENTATION = address(this);

    /// @notice The call came to the implementation itself, which is no split: it would keep the money for good.
    error NotASplit();

    /// @notice The contract with the code of this split (ERC-897), by which an explorer finds its source.
    function implementation() external view returns (address) {
        return IMPLEMENTATION;
    }

    /// @notice 1: this split delegates to the same code for ever (ERC-897).
    function proxyType() external pure returns (uint256) {
        return 1;
    }

    /// @notice The sum of all shares: 10,000 in a split of our factory.
    function totalShares() external view returns (uint256 total) {
        (,, total) = _rows();
    }

    /// @notice The shares of `account`; zero when it is no payee.
    function shares(address account) external view returns (uint256 share) {
        (share,,) = _share(account);
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

    /// @dev The shares of `account`, zero when it is no payee, and of all; and whether it is the last payee.
    function _share(address account) internal view returns (uint256 share, uint256 all, bool isLast) {
        uint256 row;
        uint256 end;
        (row, end, all) = _rows();
        uint256 before;
        unchecked {
            while (row < end) {
                (address other, uint256 running) = _row(row);
                row += CloneLib.ROW_SIZE;
                if (other == account) return (running - before, all, row == end);
                before = running;
            }
        }
    }

    /// @dev Refuses a call that came to the implementation itself.
    function _onlySplit() internal view {
        if (address(this) == IMPLEMENTATION) revert NotASplit();
    }

    /// @dev Copies the clone's rows from its code to memory: first row, end, and the total of shares.
    function _rows() internal view returns (uint256 row, uint256 end, uint256 all) {
        _onlySplit();
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

    function _row(uint256 row) internal pure returns (address account, uint256 running) {
        assembly ("memory-safe") {
            let word := mload(row)
            account := shr(96, word)
            running := and(shr(80, word), 0xffff)
        }
    }
}
