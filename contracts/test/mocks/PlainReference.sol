// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev Reference implementation of the sources' assembly, for comparison.
library PlainReference {
    function splitRuntime(address implementation, address[] memory recipients, uint32[] memory shares)
        internal
        pure
        returns (bytes memory code)
    {
        bytes memory head = abi.encodePacked(
            hex"36602f57", // with calldata, jump to the end of the head
            hex"335f52", // memory[0] = caller
            hex"345952", // memory[32] = value
            hex"7f", // log both
            keccak256("PaymentReceived(address,uint256)"),
            hex"595fa1",
            hex"00", // stop
            hex"5b"
        );
        bytes memory proxy = abi.encodePacked(
            hex"365f5f37", // memory[0..] = calldata
            hex"5f5f365f73", // delegatecall
            implementation,
            hex"5af4",
            hex"3d5f5f3e", // memory[0..] = return data
            hex"5f3d91605a57fd5bf3" // return or revert it
        );
        code = abi.encodePacked(head, proxy);
        uint16 running;
        for (uint256 i; i < recipients.length; ++i) {
            running += uint16(shares[i]);
            code = abi.encodePacked(code, recipients[i], running);
        }
    }

    function splitInitCode(bytes memory runtime) internal pure returns (bytes memory) {
        return abi.encodePacked(hex"61", uint16(runtime.length), hex"80600a3d393df3", runtime);
    }

    function depositRuntime(address implementation) internal pure returns (bytes memory) {
        return abi.encodePacked(
            hex"36600557005b", // without calldata: stop
            hex"365f5f37", // memory[0..] = calldata
            hex"5f5f365f73", // delegatecall
            implementation,
            hex"5af4",
            hex"5f52595ff3" // return the success flag
        );
    }

    function create2Address(address deployer, bytes32 salt, bytes memory initCode) internal pure returns (address) {
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), deployer, salt, keccak256(initCode)));
        return address(uint160(uint256(hash)));
    }

    function hasRepeated(address[] memory recipients) internal pure returns (bool) {
        for (uint256 i; i < recipients.length; ++i) {
            for (uint256 j; j < i; ++j) {
                if (recipients[i] == recipients[j]) return true;
            }
        }
        return false;
    }
}
